// From samples to turns with networks that are scripted: windows, ends, what is settled meanwhile.
#include "families/speakers/speaker_finder.h"

#include <cmath>
#include <limits>

#include "families/speakers/scripted_networks.h"
#include "harness.h"

namespace susurrus::testing::speaker_finder_test {
namespace {

constexpr uint64_t kWindow = SpeakerNetworks::kWindowSamples;

/// Up to three speakers who take turns: each is as loud as no other, which the networks hear.
struct Talk {
  uint64_t samples;
  uint32_t speakers = 3;
  uint64_t turn = 200;  // frames
  uint64_t pause = 30;

  uint32_t speaker(uint64_t frame) const {
    return static_cast<uint32_t>(frame / (turn + pause) % speakers);
  }
  bool is_pause(uint64_t frame) const { return frame % (turn + pause) >= turn; }
  float sample(uint64_t index) const {
    constexpr float kLevels[] = {1.0F, 1e-2F, 1e-4F};
    const uint64_t frame = index < 495 ? 0 : (index - 495) / kFrameStep;
    const float noise = static_cast<float>(static_cast<int>(index * 7919 % 2001) - 1000) / 1000;
    return kLevels[speaker(frame)] * noise;
  }
  uint64_t start(size_t window) const {
    return std::min<uint64_t>(window * kWindowHop, last_window_start(samples));
  }
  void direct(ScriptedNetworks& networks) const {
    networks.class_of = [this](size_t window, size_t frame) {
      const uint64_t at = start(window) + frame;
      return static_cast<uint8_t>(is_pause(at) ? 0 : 1 + speaker(at));
    };
    networks.on_voice = [&networks](std::span<const float> features) {
      double sum = 0;
      for (float value : features) sum += double{value};
      const double mean = sum / static_cast<double>(features.size());
      networks.vector_of = [mean](size_t, std::span<float> vector) {
        vector[mean > 15 ? 0 : mean > 6 ? 1 : 2] = 5;
      };
    };
  }
};

std::vector<SpeakerTurn> turns_of(const Talk& talk, size_t windows = 1,
                                  SpeakerOptions options = {}) {
  ScriptedNetworks networks;
  networks.most = windows;
  talk.direct(networks);
  auto finder = SpeakerFinder::make(networks, options).value();
  find_speakers(*finder, talk.samples, [&](uint64_t i) { return talk.sample(i); }, 30011);
  return {finder->turns().begin(), finder->turns().end()};
}

bool are_equal(std::span<const SpeakerTurn> a, std::span<const SpeakerTurn> b) {
  return std::ranges::equal(a, b, [](const SpeakerTurn& one, const SpeakerTurn& other) {
    return one.start == other.start && one.end == other.end && one.speaker == other.speaker;
  });
}

void expect_windows(uint64_t samples, size_t most) {
  // Numbers that floats hold, none of them 0.
  const auto sample = [](uint64_t i) { return static_cast<float>(i % 65521 + 1); };
  ScriptedNetworks networks;
  networks.most = most;
  const uint64_t last = last_window_start(samples);
  networks.on_window = [&](size_t window, const float* heard) {
    const uint64_t first = std::min<uint64_t>(window * kWindowHop, last) * kFrameStep;
    bool is_right = true;
    for (uint64_t i = 0; i < kWindow; ++i) {
      is_right &= heard[i] == (first + i < samples ? sample(first + i) : 0);
    }
    EXPECT_TRUE(is_right);
  };
  auto finder = SpeakerFinder::make(networks).value();
  find_speakers(*finder, samples, sample);
  EXPECT_EQ(networks.windows, (last + kWindowHop - 1) / kWindowHop + 1);
  EXPECT_TRUE(finder->room().empty());
}

}  // namespace

SUSURRUS_TEST(windows_end_with_the_recording) {
  EXPECT_EQ(last_window_start(0), 0u);
  EXPECT_EQ(last_window_start(kWindow), 0u);
  EXPECT_EQ(last_window_start(kWindow + 1), 1u);
  EXPECT_EQ(last_window_start(kWindow + 270), 1u);
  EXPECT_EQ(last_window_start(kWindow + 271), 2u);
  for (const uint64_t hops : {0, 1, 2, 5}) {
    for (const int64_t more : {-270, -1, 0, 1, 269, 270, 271}) {
      const auto samples = static_cast<int64_t>(kWindow + hops * kHopSamples) + more;
      for (const size_t most : {1, 2, 4}) expect_windows(static_cast<uint64_t>(samples), most);
    }
  }
  for (const uint64_t samples : {400, 5000}) expect_windows(samples, 3);
}

SUSURRUS_TEST(under_400_samples_there_is_no_turn) {
  for (const uint64_t samples : {0, 1, 399}) {
    ScriptedNetworks networks;
    networks.class_of = [](size_t, size_t) { return uint8_t{1}; };
    auto finder = SpeakerFinder::make(networks).value();
    find_speakers(*finder, samples, silence);
    EXPECT_EQ(networks.windows, size_t{0});
    EXPECT_TRUE(finder->turns().empty());
    EXPECT_TRUE(finder->speakers().empty());
    EXPECT_TRUE(*finder->step() == SpeakerStep::done);
  }
}

SUSURRUS_TEST(where_nobody_speaks_there_is_no_turn) {
  for (const uint64_t samples : {uint64_t{400}, kWindow, kWindow * 2}) {
    ScriptedNetworks networks;
    auto finder = SpeakerFinder::make(networks).value();
    find_speakers(*finder, samples, silence);
    EXPECT_EQ(networks.voices, size_t{0});
    EXPECT_TRUE(finder->turns().empty());
  }
}

SUSURRUS_TEST(a_window_is_heard_from_its_first_frame_to_its_last) {
  ScriptedNetworks networks;
  networks.class_of = [](size_t, size_t) { return uint8_t{2}; };
  auto finder = SpeakerFinder::make(networks).value();
  find_speakers(*finder, kWindow, silence);
  ASSERT_EQ(finder->turns().size(), size_t{1});
  EXPECT_EQ(finder->turns()[0].start, 495.0 / 16000);
  EXPECT_EQ(finder->turns()[0].end, (589.0 * 270 + 495) / 16000);
  ASSERT_EQ(finder->speakers().size(), size_t{1});
  EXPECT_EQ(finder->speakers()[0].centre[0], 1.0F);
  EXPECT_EQ(finder->speakers()[0].centre[1], 0.0F);
  EXPECT_NEAR(finder->speakers()[0].seconds, 589.0 * 270 / 16000, 1e-9);
  EXPECT_EQ(finder->seconds_done(), 10.0);
}

SUSURRUS_TEST(no_turn_goes_beyond_the_recording) {
  ScriptedNetworks networks;
  networks.class_of = [](size_t, size_t) { return uint8_t{1}; };
  auto finder = SpeakerFinder::make(networks).value();
  find_speakers(*finder, 32000, silence);
  ASSERT_EQ(finder->turns().size(), size_t{1});
  EXPECT_EQ(finder->turns()[0].end, 2.0);
}

SUSURRUS_TEST(half_of_the_windows_are_enough_for_a_turn) {
  ScriptedNetworks networks;
  networks.class_of = [](size_t window, size_t frame) {
    return static_cast<uint8_t>(window == 0 && frame >= 100 && frame < 300);
  };
  auto finder = SpeakerFinder::make(networks).value();
  find_speakers(*finder, kWindow + 1, silence);
  ASSERT_EQ(finder->turns().size(), size_t{1});
  EXPECT_EQ(finder->turns()[0].start, (100.0 * 270 + 495) / 16000);
  EXPECT_EQ(finder->turns()[0].end, (300.0 * 270 + 495) / 16000);
}

SUSURRUS_TEST(of_equal_votes_the_lower_number_counts) {
  ScriptedNetworks networks;
  // Two who speak alone, then together where the other window hears nobody.
  networks.class_of = [](size_t window, size_t frame) -> uint8_t {
    if (window == 1) return frame < 199 ? (frame < 99 ? 1 : 2) : 0;
    if (frame < 200) return frame < 100 ? 1 : 2;
    return frame < 260 ? 4 : 0;
  };
  networks.vector_of = [](size_t voice, std::span<float> vector) { vector[voice] = 1; };
  auto finder = SpeakerFinder::make(networks).value();
  find_speakers(*finder, kWindow + 270, silence);
  ASSERT_EQ(finder->turns().size(), size_t{3});
  const auto frame = [](double number) { return (number * 270 + 495) / 16000; };
  const SpeakerTurn wanted[] = {
      {frame(0), frame(100), 0}, {frame(100), frame(200), 1}, {frame(200), frame(260), 0}};
  EXPECT_TRUE(are_equal(finder->turns(), wanted));
}

SUSURRUS_TEST(who_speaks_is_found_however_many_windows_are_worked_on) {
  const Talk talk{.samples = 990'000};
  const auto turns = turns_of(talk);
  ASSERT_EQ(turns.size(), size_t{16});
  for (size_t i = 0; i < turns.size(); ++i) EXPECT_EQ(turns[i].speaker, i % 3);
  for (size_t i = 0; i + 1 < turns.size(); ++i) {
    EXPECT_EQ(turns[i].start, (static_cast<double>(i * 230) * 270 + 495) / 16000);
    EXPECT_NEAR(turns[i].end - turns[i].start, 200 * 270.0 / 16000, 1e-9);
  }
  for (const size_t windows : {2, 3, 8, 40}) EXPECT_TRUE(are_equal(turns_of(talk, windows), turns));
  SpeakerOptions few;
  few.windows = 2;
  EXPECT_TRUE(are_equal(turns_of(talk, 8, few), turns));
}

SUSURRUS_TEST(what_is_settled_meanwhile_changes_nothing) {
  const Talk talk{.samples = 990'000};
  ScriptedNetworks networks;
  talk.direct(networks);
  auto finder = SpeakerFinder::make(networks).value();
  auto settling = finder->settle_so_far();
  size_t settled = 0;
  size_t most_turns = 0;
  double done = 0;
  for (uint64_t given = 0;;) {
    // In between any two steps, and begun anew as soon as it is done.
    if (*settling->step()) {
      most_turns = std::max(most_turns, settling->turns().size());
      for (const SpeakerTurn& turn : settling->turns()) {
        EXPECT_TRUE(turn.end <= finder->seconds_done() + 6);
      }
      settling = finder->settle_so_far();
      ++settled;
    }
    EXPECT_TRUE(finder->seconds_done() >= done);
    done = finder->seconds_done();
    const SpeakerStep step = *finder->step();
    if (step == SpeakerStep::done) break;
    if (step == SpeakerStep::working) {
      EXPECT_TRUE(finder->turns().empty());
      continue;
    }
    const auto room = finder->room();
    const size_t count = std::min<uint64_t>({room.size(), 8000, talk.samples - given});
    for (size_t i = 0; i < count; ++i) room[i] = talk.sample(given++);
    finder->heard(count);
    if (count == 0) finder->end();
  }
  EXPECT_TRUE(settled > 10);
  EXPECT_TRUE(most_turns >= 14);
  EXPECT_TRUE(are_equal(finder->turns(), turns_of(talk)));
  EXPECT_EQ(finder->seconds_done(), 61.875);
}

SUSURRUS_TEST(memory_for_samples_is_that_of_the_windows_in_hand) {
  const Talk talk{.samples = 4'000'000};
  ScriptedNetworks networks;
  networks.most = 2;
  talk.direct(networks);
  auto finder = SpeakerFinder::make(networks).value();
  const uint64_t before = finder->byte_count();
  find_speakers(*finder, talk.samples, [&](uint64_t i) { return talk.sample(i); });
  // A byte for each frame of a window, 768 for a vector; lists have twice the room at most.
  const uint64_t windows = networks.windows;
  const uint64_t grown = windows * 600 + networks.voices * 800 + 4096;
  EXPECT_TRUE(finder->byte_count() <= before + 2 * grown);
  EXPECT_TRUE(before < 4 * (kWindow + 2 * kHopSamples) + 400'000);
}

SUSURRUS_TEST(the_number_of_speakers_may_be_given) {
  const Talk talk{.samples = 990'000};
  const auto count_of = [&](uint32_t fewest, uint32_t most) {
    SpeakerOptions options;
    options.limits = {fewest, most};
    uint32_t count = 0;
    for (const SpeakerTurn& turn : turns_of(talk, 4, options)) {
      count = std::max(count, turn.speaker + 1);
    }
    return count;
  };
  EXPECT_EQ(count_of(0, 0), 3u);
  EXPECT_EQ(count_of(1, 1), 1u);
  EXPECT_EQ(count_of(0, 2), 2u);
  EXPECT_EQ(count_of(2, 2), 2u);
  EXPECT_EQ(count_of(3, 5), 3u);
  EXPECT_EQ(count_of(0, 9), 3u);

  ScriptedNetworks networks;
  SpeakerOptions wrong;
  wrong.limits = {3, 2};
  const auto refused = SpeakerFinder::make(networks, wrong);
  ASSERT_FALSE(refused.has_value());
  EXPECT_TRUE(refused.error().code == ErrorCode::invalid_argument);
}

SUSURRUS_TEST(networks_that_give_no_numbers_give_no_turns) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const float value : {kNan, kInfinity, 0.0F}) {
    ScriptedNetworks networks;
    networks.class_of = [](size_t, size_t) { return uint8_t{3}; };
    networks.vector_of = [=](size_t, std::span<float> vector) { vector[0] = value; };
    auto finder = SpeakerFinder::make(networks).value();
    find_speakers(*finder, kWindow * 2, [](uint64_t) { return kNan; });
    EXPECT_TRUE(networks.voices > 0);
    EXPECT_TRUE(finder->turns().empty());
    EXPECT_TRUE(finder->speakers().empty());
  }
}

SUSURRUS_TEST(a_long_recording_is_grouped_first) {
  const Talk talk{.samples = 2'000'000};
  SpeakerOptions few;
  few.most_items = 5;
  EXPECT_TRUE(are_equal(turns_of(talk, 1, few), turns_of(talk)));
}

}  // namespace susurrus::testing::speaker_finder_test
