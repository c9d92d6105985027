// Where the sound of a window has its words start and end. The aligner's times in these tests are late, as they are in life.
#include "session/word_edges.h"

#include <random>
#include <string>
#include <vector>

#include "harness.h"

namespace susurrus::testing::word_edges_test {
namespace {

constexpr size_t kMels = 80;
constexpr float kSilent = -1.0f;

/// So many frames of one sound: the bands of one third of the mel bins are louder than the others.
struct Stretch {
  int frames;
  float level;
  size_t third = 0;
};

std::vector<float> mel_of(const std::vector<Stretch>& stretches) {
  std::vector<float> mel;
  for (const Stretch& each : stretches) {
    for (int i = 0; i < each.frames; ++i) {
      for (size_t bin = 0; bin < kMels; ++bin) {
        const bool is_louder = each.level > kSilent && bin / (kMels / 3) == each.third;
        mel.push_back(each.level + (is_louder ? 0.4f : 0.0f));
      }
    }
  }
  return mel;
}

Segment segment_of(std::vector<Word> words) {
  Segment segment;
  segment.words = std::move(words);
  segment.start = segment.words.front().start;
  segment.end = segment.words.back().end;
  segment.text = "text";
  return segment;
}

std::vector<Segment> refined(std::vector<Segment> segments, const std::vector<float>& mel,
                             double begin = 0) {
  const double end = begin + static_cast<double>(mel.size() / kMels) / 100;
  refine_word_edges(segments, {mel, kMels, begin}, {begin, end});
  return segments;
}

void expect_times(const std::vector<Word>& words, const std::vector<double>& times) {
  if (!EXPECT_EQ(2 * words.size(), times.size())) return;
  for (size_t i = 0; i < words.size(); ++i) {
    EXPECT_NEAR(words[i].start, times[2 * i], 0.011);
    EXPECT_NEAR(words[i].end, times[2 * i + 1], 0.011);
  }
}

/// Two words of 0.4 s, 0.3 s after the window's beginning, with a pause of 0.5 s between them.
std::vector<float> with_pause(float level = 0.5f, float silence = kSilent) {
  return mel_of({{30, silence}, {40, level, 0}, {50, silence}, {40, level, 1}, {30, silence}});
}
std::vector<Segment> late_words(double begin = 0) {
  return {
      segment_of({{" one", begin + 0.4, begin + 0.8, 1}, {" two", begin + 0.8, begin + 1.7, 1}})};
}

}  // namespace

SUSURRUS_TEST(a_pause_belongs_to_no_word) {
  const auto segments = refined(late_words(), with_pause());
  expect_times(segments[0].words, {0.3, 0.7, 1.2, 1.6});
  EXPECT_EQ(segments[0].start, segments[0].words[0].start);
  EXPECT_EQ(segments[0].end, segments[0].words[1].end);
}

SUSURRUS_TEST(a_pause_is_found_in_soft_speech_and_in_noise) {
  for (const auto& mel : {with_pause(-0.4f), with_pause(0.9f, 0.4f)}) {
    expect_times(refined(late_words(), mel)[0].words, {0.3, 0.7, 1.2, 1.6});
  }
}

SUSURRUS_TEST(times_count_from_the_beginning_of_the_recording) {
  expect_times(refined(late_words(30), with_pause(), 30)[0].words, {30.3, 30.7, 31.2, 31.6});
}

SUSURRUS_TEST(words_without_a_pause_meet_where_the_sound_changes) {
  const auto mel =
      mel_of({{30, kSilent}, {40, 0.5f, 0}, {40, 0.5f, 1}, {40, 0.5f, 0}, {30, kSilent}});
  const auto segments = refined(
      {segment_of({{" one", 0.42, 0.76, 1}, {" two", 0.76, 1.2, 1}, {" six", 1.2, 1.6, 1}})}, mel);
  expect_times(segments[0].words, {0.3, 0.7, 0.7, 1.1, 1.1, 1.5});
}

SUSURRUS_TEST(a_stop_within_a_word_is_no_pause) {
  const auto mel = mel_of(
      {{30, kSilent}, {30, 0.5f, 0}, {7, kSilent}, {30, 0.5f, 0}, {40, 0.5f, 1}, {30, kSilent}});
  const auto segments =
      refined({segment_of({{" outcome", 0.4, 1.06, 1}, {" two", 1.06, 1.5, 1}})}, mel);
  expect_times(segments[0].words, {0.3, 0.97, 0.97, 1.37});
}

SUSURRUS_TEST(words_at_the_ends_of_a_window_reach_them) {
  const auto mel = mel_of({{40, 0.5f, 0}, {40, kSilent}, {40, 0.5f, 1}});
  const auto segments = refined({segment_of({{" one", 0, 0.45, 1}, {" two", 0.45, 1.2, 1}})}, mel);
  expect_times(segments[0].words, {0, 0.4, 0.8, 1.2});
}

SUSURRUS_TEST(a_word_without_length_gets_the_sound_around_it) {
  auto segments = late_words();
  segments[0].words[1].start = segments[0].words[1].end = 1.3;
  segments[0].end = 1.3;
  expect_times(refined(segments, with_pause())[0].words, {0.3, 0.7, 1.2, 1.6});
}

SUSURRUS_TEST(words_without_room_stay) {
  std::vector<Word> words;
  for (int i = 0; i < 90; ++i) words.push_back({" a", 0.01 * i, 0.01 * (i + 1), 1});
  const auto segments = refined({segment_of(words)}, with_pause());
  for (size_t i = 0; i < words.size(); ++i) {
    EXPECT_EQ(segments[0].words[i].start, words[i].start);
    EXPECT_EQ(segments[0].words[i].end, words[i].end);
  }
}

SUSURRUS_TEST(a_window_of_a_moment_shows_nothing) {
  const auto segments =
      refined({segment_of({{" one", 0.1, 0.2, 1}})}, mel_of({{10, kSilent}, {10, 0.5f}}));
  EXPECT_EQ(segments[0].words[0].start, 0.1);
  EXPECT_EQ(segments[0].words[0].end, 0.2);
}

SUSURRUS_TEST(words_stay_on_their_side_of_a_segment_without_words) {
  std::vector<Segment> segments = late_words();
  Segment wordless;
  wordless.start = 0.85;
  wordless.end = 1.4;
  segments.push_back(wordless);
  segments.push_back(segment_of({{" two", 1.5, 1.7, 1}}));
  segments[0].words.pop_back();
  segments[0].end = 0.8;
  const auto moved = refined(segments, with_pause());
  expect_times(moved[0].words, {0.3, 0.7});
  EXPECT_EQ(moved[1].start, 0.85);
  EXPECT_EQ(moved[1].end, 1.4);
  expect_times(moved[2].words, {1.4, 1.6});
}

SUSURRUS_TEST(the_contract_is_kept_whatever_the_sound) {
  std::mt19937 random(5);
  auto below = [&](unsigned count) { return static_cast<int>(random() % count); };
  for (int round = 0; round < 200; ++round) {
    std::vector<Stretch> stretches;
    for (int i = 0; i < 12; ++i) {
      const bool is_silent = below(3) == 0;
      stretches.push_back({below(40), is_silent ? kSilent : 0.01f * static_cast<float>(below(90)),
                           static_cast<size_t>(below(3))});
    }
    stretches.push_back({30, 0.2f});
    const auto mel = mel_of(stretches);
    const int frames = static_cast<int>(mel.size() / kMels);
    std::vector<Segment> segments;
    for (int at = below(20); at + 30 < frames && segments.size() < 4;) {
      std::vector<Word> words;
      for (int i = 0; i <= below(5) && at < frames; ++i) {
        const int end = std::min(at + 1 + below(30), frames);
        words.push_back(
            {std::string(static_cast<size_t>(below(7)), 'a'), at * 0.01, end * 0.01, 1});
        at = end + (below(3) == 0 ? below(60) : 0);
      }
      segments.push_back(segment_of(words));
    }
    double last = 0;
    for (const Segment& segment : refined(segments, mel)) {
      EXPECT_EQ(segment.start, segment.words.front().start);
      EXPECT_EQ(segment.end, segment.words.back().end);
      for (const Word& word : segment.words) {
        EXPECT_GE(word.start, last - 1e-9);
        EXPECT_GT(word.end, word.start + 0.009);
        last = word.end;
      }
    }
    EXPECT_LE(last, frames * 0.01 + 1e-9);
  }
}

}  // namespace susurrus::testing::word_edges_test
