#include "session/live/live_mel.h"

#include <algorithm>
#include <cmath>

#include "harness.h"
#include "session/recording_run.h"

namespace susurrus::testing::live_mel_test {
namespace {

constexpr uint32_t kMels = 80;

struct Reference {
  std::vector<float> values;
  size_t frames = 0;
};

/// All of the sound as one recording with silence after it.
Reference reference_of(const LogMel& log_mel, std::span<const float> samples) {
  Reference reference;
  reference.frames = samples.size() / kHopSamples;
  reference.values.resize(reference.frames * kMels);
  const float maximum = log_mel.log_frames(samples, 0, samples.size(), 480000, 0, reference.frames,
                                           reference.values.data());
  LogMel::normalise(reference.values, maximum);
  return reference;
}

std::vector<float> copied(const LiveMel& mel, size_t first = 0) {
  std::vector<float> values((mel.frame_count() - first) * kMels);
  mel.copy_to(values, first);
  return values;
}

}  // namespace

SUSURRUS_TEST(frames_do_not_depend_on_the_pieces_in_which_sound_comes) {
  auto log_mel = LogMel::create(kMels, {});
  ASSERT_TRUE(log_mel.has_value());
  const std::vector<float> samples = noise(20000);
  const Reference reference = reference_of(*log_mel, samples);
  for (size_t piece : {1, 7, 160, 161, 1600, 20000}) {
    auto mel = LiveMel::create(*log_mel, 500);
    ASSERT_TRUE(mel.has_value());
    mel->begin();
    for (size_t at = 0; at < samples.size(); at += piece) {
      mel->push(std::span(samples).subspan(at, std::min(piece, samples.size() - at)));
    }
    // What is there by now is all that can be.
    EXPECT_EQ(mel->frame_count(), (samples.size() - 201) / 160 + 1);
    mel->finish();
    ASSERT_TRUE(EXPECT_EQ(mel->frame_count(), reference.frames));
    EXPECT_TRUE(copied(*mel) == reference.values);
  }
}

SUSURRUS_TEST(dropped_frames_make_room_and_those_behind_them_stay) {
  auto log_mel = LogMel::create(kMels, {});
  auto mel = LiveMel::create(*log_mel, 50);
  ASSERT_TRUE(mel.has_value());
  mel->begin();
  const std::vector<float> samples = noise(16000);
  EXPECT_EQ(mel->room(), 8000u);
  mel->push(std::span(samples).first(8000));
  EXPECT_EQ(mel->room(), 0u);
  // The loudest frame decides how all are normalised: differences stay.
  const std::vector<float> all = copied(*mel);
  mel->drop(20);
  EXPECT_EQ(mel->first_frame(), 20u);
  EXPECT_EQ(mel->room(), 3200u);
  const std::vector<float> rest = copied(*mel);
  const float shift = rest[0] - all[20 * kMels];
  bool is_same = true;
  for (size_t i = 0; i < rest.size(); ++i) {
    // Clamped values stay at the floor.
    const float moved = all[i + 20 * kMels] + shift;
    is_same = is_same && rest[i] >= moved - 1e-4f;
  }
  EXPECT_TRUE(is_same);
  mel->push(std::span(samples).subspan(8000, 3200));
  EXPECT_EQ(mel->room(), 0u);
}

SUSURRUS_TEST(an_utterance_begins_anew) {
  auto log_mel = LogMel::create(kMels, {});
  auto mel = LiveMel::create(*log_mel, 200);
  ASSERT_TRUE(mel.has_value());
  const std::vector<float> samples = noise(6000);
  const Reference reference = reference_of(*log_mel, samples);
  for (int round = 0; round < 2; ++round) {
    mel->begin();
    mel->push(samples);
    mel->finish();
    ASSERT_TRUE(EXPECT_EQ(mel->frame_count(), reference.frames));
    EXPECT_TRUE(copied(*mel) == reference.values);
  }
  mel->begin();
  mel->finish();
  EXPECT_EQ(mel->frame_count(), 0u);
}

SUSURRUS_TEST(the_end_of_an_utterance_stays_in_front_of_the_next_one) {
  auto log_mel = LogMel::create(kMels, {});
  auto mel = LiveMel::create(*log_mel, 100);
  ASSERT_TRUE(mel.has_value());
  const std::vector<float> before = noise(8000, 3);
  const std::vector<float> samples = noise(11200, 4);
  mel->begin();
  mel->push(before);
  mel->finish();
  ASSERT_TRUE(EXPECT_EQ(mel->frame_count(), 50u));
  const std::span<const float> frames = mel->frames();
  const std::vector<float> context(frames.begin() + 20 * kMels, frames.end());
  mel->begin(30);
  EXPECT_EQ(mel->context_frames(), 30u);
  EXPECT_EQ(mel->utterance_frames(), 0u);
  EXPECT_EQ(mel->room(), 11200u);
  mel->push(samples);
  mel->finish();
  EXPECT_EQ(mel->room(), 0u);
  EXPECT_EQ(mel->utterance_frames(), 70u);
  ASSERT_TRUE(EXPECT_EQ(mel->frame_count(), 100u));
  EXPECT_TRUE(std::ranges::equal(mel->frames().first(context.size()), context));
  // The utterance alone is the recording that it would be without a context.
  EXPECT_TRUE(copied(*mel, 30) == reference_of(*log_mel, samples).values);
  mel->drop(40);
  EXPECT_EQ(mel->context_frames(), 0u);
  EXPECT_EQ(mel->first_frame(), 10u);
  EXPECT_EQ(mel->utterance_frames(), 70u);
}

}  // namespace susurrus::testing::live_mel_test
