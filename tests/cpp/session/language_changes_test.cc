// Where the language changes inside a window.
#include "session/language_changes.h"

#include <algorithm>

#include "harness.h"
#include "session/window_sound.h"
#include "whisper/encoded_model.h"

namespace susurrus::testing::language_changes_test {
namespace {

constexpr float kLeast = -4;

/// A profile of three languages; each second is clearly in one, or, as -1, in none.
LanguageProfile profile_of(const std::vector<int>& seconds) {
  LanguageProfile profile{.language_count = 3, .log_probabilities = {}};
  for (int language : seconds) {
    for (int i = 0; i < 3; ++i) {
      profile.log_probabilities.push_back(language < 0 ? 0.0f : language == i ? -0.125f : kLeast);
    }
  }
  return profile;
}

void expect_change(const std::vector<int>& seconds, std::optional<size_t> expected) {
  EXPECT_TRUE(first_change(profile_of(seconds)) == expected);
}

/// Frames of speech, with silence in [begin, end).
QuietFrames frames_with_pause(uint64_t seek, size_t begin, size_t end) {
  constexpr size_t kMels = 4;
  QuietFrames frames(kMels, 1000);
  std::vector<float> mel(1000 * kMels, 1.0f);
  std::fill(mel.begin() + static_cast<ptrdiff_t>(begin * kMels),
            mel.begin() + static_cast<ptrdiff_t>(end * kMels), -5.0f);
  // The floor is that of the quietest tenth.
  frames.count(0, std::vector<float>(200 * kMels, -5.0f));
  frames.set_window(seek, mel);
  return frames;
}

}  // namespace

SUSURRUS_TEST(the_first_second_of_another_language_is_found) {
  expect_change({0, 0, 0, 1, 1, 1}, 3);
  expect_change({2, 2, 2, 2, 0, 0, 0, 1, 1, 1}, 4);
  // Seconds that say nothing belong to what was before.
  expect_change({0, 0, 0, -1, -1, 1, 1, 1}, 5);
}

SUSURRUS_TEST(one_language_does_not_change) {
  expect_change({}, std::nullopt);
  expect_change({0}, std::nullopt);
  expect_change({0, 1}, std::nullopt);
  expect_change({1, 1, 1, 1, 1, 1}, std::nullopt);
  expect_change({-1, -1, -1, -1, -1, -1}, std::nullopt);
}

SUSURRUS_TEST(little_evidence_is_no_change) {
  // A word that sounds like another language.
  expect_change({0, 0, 0, 1, 0, 0, 0, 0}, std::nullopt);
  expect_change({0, 0, 0, 1, 1, 1, 0, 0}, std::nullopt);
  // One at the border of the window.
  expect_change({0, 0, 0, 0, 0, 1}, std::nullopt);
  expect_change({1, 0, 0, 0, 0, 0}, std::nullopt);
}

SUSURRUS_TEST(the_language_changes_in_a_pause) {
  constexpr uint64_t kSeek = 3000;
  const WindowPlace window{.seek = kSeek, .frame_count = 1000};
  const QuietFrames frames = frames_with_pause(kSeek, 380, 440);
  for (uint64_t near : {300, 410, 600}) {
    EXPECT_EQ(pause_near(frames, window, kSeek + near), kSeek + 410);
  }
  // Nobody pauses there.
  EXPECT_EQ(pause_near(frames, window, kSeek + 800), kSeek + 800);
  // Not at the window's beginning, which would leave nothing of it.
  EXPECT_EQ(pause_near(frames_with_pause(kSeek, 0, 40), window, kSeek + 200), kSeek + 200);
}

SUSURRUS_TEST(changes_are_looked_for_in_an_encoded_window) {
  WhisperDimensions dimensions = kOddDimensions;
  dimensions.n_audio_ctx = 250;
  RandomModel random = random_model(dimensions, 5);
  auto model = make_model(random, default_kernels());
  ASSERT_TRUE(model != nullptr);
  fill_mel(*model, 4);
  model->begin_encode();
  LanguageChanges changes(*model, {}, 500);
  for (bool is_done = false; !is_done;) {
    auto step = changes.step();
    ASSERT_TRUE(step.has_value());
    is_done = *step;
  }
  EXPECT_TRUE(model->is_encoded());
  EXPECT_EQ(model->decoder_position(), 0u);
  // Nothing sounds, so that nothing is known.
  const QuietFrames silence(dimensions.n_mels, 500);
  EXPECT_FALSE(changes.find(silence, {.seek = 0, .frame_count = 500}).has_value());
}

}  // namespace susurrus::testing::language_changes_test
