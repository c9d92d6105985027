// What times may be: first by hand, then for any times at all.
#include "session/time_contract.h"

#include <cmath>

#include "session/recording_run.h"
#include "whisper/encoded_model.h"

namespace susurrus::testing::time_contract_test {
namespace {

Segment segment(double start, double end, const char* text = " word") {
  Segment segment;
  segment.start = start;
  segment.end = end;
  segment.text = text;
  segment.tokens = {1};
  segment.token_probabilities = {1};
  return segment;
}

Segment with_words(std::vector<std::pair<double, double>> times) {
  Segment result = segment(times.front().first, times.back().second);
  for (auto [start, end] : times) result.words.push_back({" word", start, end, 1});
  return result;
}

struct Kept {
  std::vector<Segment> segments;
  std::vector<Segment> rejected;
};

Kept keep(std::vector<Segment> segments, TimeBounds bounds) {
  Kept kept = {std::move(segments), {}};
  keep_time_contract(kept.segments, bounds, kept.rejected);
  return kept;
}

bool has_times(const Word& word, double start, double end) {
  return EXPECT_EQ(word.start, start) && EXPECT_EQ(word.end, end);
}
bool has_times(const Segment& segment, double start, double end) {
  return EXPECT_EQ(segment.start, start) && EXPECT_EQ(segment.end, end);
}

}  // namespace

SUSURRUS_TEST(times_that_keep_the_contract_stay) {
  const Kept kept = keep({with_words({{1, 1.2}, {1.2, 1.21}, {1.5, 2}}), segment(2, 5)}, {1, 5});
  ASSERT_EQ(kept.segments.size(), 2u);
  has_times(kept.segments[0].words[0], 1, 1.2);
  has_times(kept.segments[0].words[1], 1.2, 1.21);
  has_times(kept.segments[0].words[2], 1.5, 2);
  has_times(kept.segments[0], 1, 2);
  has_times(kept.segments[1], 2, 5);
  EXPECT_TRUE(kept.rejected.empty());
}

SUSURRUS_TEST(a_last_word_without_length_lasts_as_long_as_its_segment_did) {
  std::vector<Segment> segments = {with_words({{0, 1}, {1, 1}}), with_words({{2, 2.5}}),
                                   with_words({{3, 3}}), segment(4, 5)};
  lengthen_last_words(segments, std::vector<double>{1.6, 2.8, 2.9, 5});
  has_times(segments[0].words[1], 1, 1.6);
  has_times(segments[0], 0, 1.6);
  has_times(segments[1], 2, 2.5);
  has_times(segments[2], 3, 3);
  has_times(segments[3], 4, 5);
}

SUSURRUS_TEST(words_without_length_get_some) {
  Kept kept = keep({with_words({{1, 1}, {1, 1}, {1, 2}, {2, 2}}), segment(2, 3)}, {0, 3});
  ASSERT_EQ(kept.segments.size(), 2u);
  const std::vector<Word>& words = kept.segments[0].words;
  has_times(words[0], 1, 1.01);
  has_times(words[1], 1.01, 1.02);
  has_times(words[2], 1.02, 2);
  has_times(words[3], 2, 2.01);
  has_times(kept.segments[0], 1, 2.01);
  has_times(kept.segments[1], 2.01, 3);
  // At the end of the audio they get it from the words before.
  kept = keep({with_words({{1, 1.5}, {1.5, 2}, {2, 2.7}, {2, 2}})}, {0, 2});
  ASSERT_EQ(kept.segments.size(), 1u);
  has_times(kept.segments[0].words[1], 1.5, 1.98);
  has_times(kept.segments[0].words[2], 1.98, 1.99);
  has_times(kept.segments[0].words[3], 1.99, 2);
}

SUSURRUS_TEST(text_before_its_time_begins_where_the_earlier_text_ends) {
  const Kept kept = keep({segment(-5, 2), segment(1, 3), segment(0.5, 0.7)}, {0.5, 4});
  ASSERT_EQ(kept.segments.size(), 3u);
  has_times(kept.segments[0], 0.5, 2);
  has_times(kept.segments[1], 2, 3);
  has_times(kept.segments[2], 3, 3.01);
}

SUSURRUS_TEST(text_that_cannot_be_timed_is_rejected_with_the_reason) {
  const Kept kept = keep({segment(1, 1), segment(2, 1.5), segment(3, 9), segment(4, 5),
                          segment(7, 8), segment(8, 8, " "), segment(3, 3.5, "\n")},
                         {0, 4});
  // Nothing is lost with what has neither text nor room.
  ASSERT_EQ(kept.segments.size(), 1u);
  has_times(kept.segments[0], 3, 4);
  ASSERT_EQ(kept.rejected.size(), 4u);
  EXPECT_TRUE(kept.rejected[0].decision == Decision::dropped_zero_length);
  EXPECT_TRUE(kept.rejected[1].decision == Decision::dropped_zero_length);
  EXPECT_TRUE(kept.rejected[2].decision == Decision::dropped_past_end);
  EXPECT_TRUE(kept.rejected[3].decision == Decision::dropped_past_end);
  has_times(kept.rejected[3], 7, 8);
  EXPECT_EQ(kept.rejected[3].tokens.size(), 1u);
}

SUSURRUS_TEST(words_without_room_are_rejected_with_their_segment) {
  const Kept kept = keep({with_words({{1, 1}, {1, 1}, {1, 1.02}}),
                          with_words({{1, 1.5}, {2, 3}, {3, 4}}), with_words({{1, 2}, {2, 3}})},
                         {1, 1.05});
  ASSERT_EQ(kept.segments.size(), 2u);
  has_times(kept.segments[0].words[2], 1.02, 1.03);
  has_times(kept.segments[1].words[1], 1.04, 1.05);
  ASSERT_EQ(kept.rejected.size(), 1u);
  EXPECT_EQ(kept.rejected[0].words.size(), 3u);
  EXPECT_TRUE(kept.rejected[0].decision == Decision::dropped_zero_length);
}

SUSURRUS_TEST(segments_without_text_keep_their_times_and_nothing_else) {
  Segment silence = segment(1, 2, " \n");
  silence.words.push_back({" ", 1, 1, 1});
  const Kept kept = keep({silence}, {0, 3});
  ASSERT_EQ(kept.segments.size(), 1u);
  has_times(kept.segments[0], 1, 2);
  EXPECT_TRUE(kept.segments[0].text.empty() && kept.segments[0].tokens.empty() &&
              kept.segments[0].words.empty());
  EXPECT_TRUE(keep({segment(1, 2)}, {3, 2}).segments.empty());
}

SUSURRUS_TEST(any_times_at_all_come_to_keep_the_contract) {
  Random random(7);
  // Hundredths, as words have them, and anything else.
  auto time = [&] {
    const double seconds = static_cast<double>(random.uniform(-1, 11));
    return random.below(2) == 0 ? seconds : std::nearbyint(seconds * 100) / 100;
  };
  for (int round = 0; round < 20000 && !current_case_failed(); ++round) {
    std::vector<Segment> segments(random.below(6));
    size_t texts = 0;
    for (Segment& each : segments) {
      each = segment(time(), time(), random.below(4) == 0 ? " " : " word");
      texts += each.text == " word";
      each.words.resize(random.below(3) == 0 ? 0 : random.below(8));
      for (Word& word : each.words) word = {" word", time(), time(), 1};
    }
    // Often hardly any room.
    const double begin = std::abs(time());
    const TimeBounds bounds = {begin, begin + (random.below(2) == 0 ? 0.05 : 1) * std::abs(time())};
    const Kept kept = keep(segments, bounds);
    Outcome outcome;
    outcome.segments = kept.segments;
    outcome.rejected = kept.rejected;
    // Times are exact to the microsecond.
    expect_time_contract(outcome, bounds.end + 1e-6);
    if (!kept.segments.empty()) EXPECT_GE(kept.segments[0].start, bounds.begin - 1e-6);
    size_t kept_texts = kept.rejected.size();
    for (const Segment& each : kept.segments) kept_texts += !each.text.empty();
    EXPECT_EQ(kept_texts, texts);
    const Kept again = keep(kept.segments, bounds);
    EXPECT_TRUE(again.rejected.empty());
    EXPECT_EQ(again.segments.size(), kept.segments.size());
    for (size_t i = 0; i < again.segments.size(); ++i) {
      has_times(again.segments[i], kept.segments[i].start, kept.segments[i].end);
    }
  }
}

}  // namespace susurrus::testing::time_contract_test
