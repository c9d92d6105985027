// Which frames of a recording are as quiet as its floor.
#include "session/quiet_frames.h"

#include <vector>

#include "harness.h"

namespace susurrus::testing::quiet_frames_test {
namespace {

constexpr size_t kMels = 8;
constexpr size_t kWindow = 300;

/// Frames of these levels: the lower half of the bins has them, the upper half is loud.
std::vector<float> frames(const std::vector<float>& levels) {
  std::vector<float> log_mel;
  for (float level : levels) {
    log_mel.insert(log_mel.end(), kMels / 2, level);
    log_mel.insert(log_mel.end(), kMels / 2, 1.0f);
  }
  return log_mel;
}

QuietFrames heard(const std::vector<float>& levels) {
  QuietFrames quiet(kMels, kWindow);
  quiet.count(0, frames(levels));
  quiet.set_window(0, frames(levels));
  return quiet;
}

/// 200 frames of noise around -4.
std::vector<float> noise_floor() {
  std::vector<float> levels;
  for (size_t i = 0; i < 200; ++i) levels.push_back(-4.0f + 0.1f * static_cast<float>(i % 5));
  return levels;
}

}  // namespace

SUSURRUS_TEST(frames_near_the_recordings_floor_are_quiet) {
  std::vector<float> levels = noise_floor();
  EXPECT_EQ(heard(levels).sound_count(0, 200), 0u);
  levels[50] = -3.2f;
  levels[120] = -1.0f;
  levels[121] = -1.0f;
  const QuietFrames quiet = heard(levels);
  EXPECT_EQ(quiet.sound_count(0, 200), 3u);
  EXPECT_EQ(quiet.next_sound(0, 200), 50u);
  EXPECT_EQ(quiet.next_sound(51, 200), 120u);
  EXPECT_EQ(quiet.sound_count(51, 121), 1u);
  EXPECT_EQ(quiet.next_sound(122, 200), 200u);
  // Beyond the window nothing is known, so nothing sounds.
  EXPECT_EQ(quiet.next_sound(122, 1000), 1000u);
}

SUSURRUS_TEST(the_floor_is_that_of_all_frames_so_far) {
  QuietFrames quiet(kMels, kWindow);
  const std::vector<float> speech(200, -2.0f);
  quiet.count(0, frames(speech));
  quiet.set_window(0, frames(speech));
  EXPECT_EQ(quiet.sound_count(0, 200), 0u);
  // What was counted before counts once.
  quiet.count(100, frames(speech));
  quiet.count(200, frames(noise_floor()));
  quiet.set_window(0, frames(speech));
  EXPECT_EQ(quiet.sound_count(0, 200), 200u);
  quiet.set_window(200, frames(noise_floor()));
  EXPECT_EQ(quiet.sound_count(200, 400), 0u);
}

SUSURRUS_TEST(digital_silence_is_quiet_and_so_is_dither_beside_it) {
  std::vector<float> levels(30, -10.0f);
  EXPECT_EQ(heard(levels).sound_count(0, 30), 0u);
  // Too little is known of the floor.
  levels[3] = -9.9f;
  EXPECT_EQ(heard(levels).sound_count(0, 30), 1u);
  levels.resize(150, -8.0f);
  levels.resize(250, -1.0f);
  EXPECT_EQ(heard(levels).sound_count(0, 250), 100u);
}

}  // namespace susurrus::testing::quiet_frames_test
