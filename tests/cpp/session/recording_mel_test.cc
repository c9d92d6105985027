// The log-mel of whole recordings: one maximum for the file or one for each window, and an end that may come late.
#include "session/recording_mel.h"

#include <algorithm>

#include "session/recording_run.h"
#include "whisper/random_model.h"

namespace susurrus::testing::recording_mel_test {
namespace {

constexpr size_t kMels = kOddDimensions.n_mels;
constexpr uint64_t kWindowFrames = 2 * kOddDimensions.n_audio_ctx;

/// Loud first, then quiet: with one maximum for both, the quiet part's floor is the loud one's.
std::vector<float> loud_then_quiet() {
  std::vector<float> samples = noise(20000);
  for (size_t i = 12000; i < samples.size(); ++i) samples[i] *= 1e-5f;
  return samples;
}

void lend(RecordingMel& mel, const std::vector<float>& samples) {
  const AudioRequest request = mel.request();
  std::copy(samples.begin() + static_cast<ptrdiff_t>(request.begin),
            samples.begin() + static_cast<ptrdiff_t>(request.end), mel.samples().begin());
}

/// Frames [80, 125) of the model's window, held against the recording's, normalised by the maximum from `loudest_frame` on.
void expect_quiet_window(WhisperModel& model, const std::vector<float>& samples,
                         size_t loudest_frame) {
  std::vector<float> exact(125 * kMels);
  model.log_mel().log_frames(samples, 0, samples.size(), kWindowFrames * 160, 0, 125, exact.data());
  LogMel::normalise(exact,
                    *std::max_element(exact.begin() + static_cast<ptrdiff_t>(loudest_frame * kMels),
                                      exact.end()));
  std::span<float> window = model.mel_window();
  for (size_t i = 0; i < window.size(); ++i) {
    EXPECT_NEAR(window[i], i < 45 * kMels ? exact[80 * kMels + i] : 0.0f, 1e-6);
  }
}

}  // namespace

SUSURRUS_TEST(windows_of_a_recording_share_its_maximum_and_end_in_zeros) {
  auto model = small_model(30);
  ASSERT_TRUE(model != nullptr);
  const std::vector<float> samples = loud_then_quiet();
  RecordingMel mel(*model, samples.size(), Normalization::recording);
  for (auto progress = mel.scan(); progress != RecordingMel::Progress::done;
       progress = mel.scan()) {
    if (progress == RecordingMel::Progress::need_audio) lend(mel, samples);
  }
  EXPECT_EQ(mel.content_frames(), 125u);
  ASSERT_TRUE(mel.fill_window(80, 45) == RecordingMel::Progress::need_audio);
  lend(mel, samples);
  ASSERT_TRUE(mel.fill_window(80, 45) == RecordingMel::Progress::done);
  expect_quiet_window(*model, samples, 0);
}

SUSURRUS_TEST(a_window_for_itself_has_its_own_maximum) {
  auto model = small_model(30);
  ASSERT_TRUE(model != nullptr);
  const std::vector<float> samples = loud_then_quiet();
  RecordingMel mel(*model, samples.size(), Normalization::window);
  EXPECT_TRUE(mel.scan() == RecordingMel::Progress::done);
  ASSERT_TRUE(mel.fill_window(80, 45) == RecordingMel::Progress::need_audio);
  lend(mel, samples);
  ASSERT_TRUE(mel.fill_window(80, 45) == RecordingMel::Progress::done);
  expect_quiet_window(*model, samples, 80);
}

SUSURRUS_TEST(parts_of_a_recording_share_the_maximum_of_the_whole) {
  auto model = small_model(30);
  ASSERT_TRUE(model != nullptr);
  const std::vector<float> samples = loud_then_quiet();
  const std::vector<float> part(samples.begin() + 12000, samples.end());
  std::vector<float> stream = samples;
  stream.insert(stream.end(), part.begin(), part.end());
  RecordingMel mel(*model, std::nullopt, Normalization::recording, samples.size());
  uint64_t end = 0;
  for (auto progress = mel.scan(); progress != RecordingMel::Progress::done;
       progress = mel.scan()) {
    if (progress != RecordingMel::Progress::need_audio) continue;
    lend(mel, stream);
    end = mel.request().end;
  }
  EXPECT_EQ(end, samples.size());
  EXPECT_EQ(mel.content_frames(), kUnknownFrames);
  ASSERT_TRUE(mel.fill_window(0, kWindowFrames) == RecordingMel::Progress::need_audio);
  EXPECT_EQ(mel.request().begin, samples.size());
  mel.end_audio(stream.size());
  EXPECT_EQ(mel.content_frames(), 50u);
  ASSERT_TRUE(mel.fill_window(0, 50) == RecordingMel::Progress::need_audio);
  EXPECT_EQ(mel.request().begin, samples.size());
  EXPECT_EQ(mel.request().end, stream.size());
  lend(mel, stream);
  ASSERT_TRUE(mel.fill_window(0, 50) == RecordingMel::Progress::done);

  std::vector<float> exact(125 * kMels);
  const float loudest =
      model->log_mel().log_frames(samples, 0, samples.size(), 0, 0, 125, exact.data());
  model->log_mel().log_frames(part, 0, part.size(), kWindowFrames * 160, 0, 50, exact.data());
  exact.resize(50 * kMels);
  LogMel::normalise(exact, loudest);
  for (size_t i = 0; i < exact.size(); ++i) EXPECT_NEAR(model->mel_window()[i], exact[i], 1e-6);
}

SUSURRUS_TEST(a_request_past_the_end_of_a_stream_is_made_anew) {
  auto model = small_model(30);
  ASSERT_TRUE(model != nullptr);
  const std::vector<float> samples = loud_then_quiet();
  RecordingMel mel(*model, std::nullopt, Normalization::window);
  EXPECT_EQ(mel.content_frames(), kUnknownFrames);
  ASSERT_TRUE(mel.fill_window(80, kWindowFrames) == RecordingMel::Progress::need_audio);
  EXPECT_EQ(mel.request().begin, 80 * 160 - 200u);
  EXPECT_EQ(mel.request().end, (80 + kWindowFrames - 1) * 160 + 200);
  mel.end_audio(samples.size());
  EXPECT_EQ(mel.content_frames(), 125u);
  ASSERT_TRUE(mel.fill_window(80, 45) == RecordingMel::Progress::need_audio);
  EXPECT_EQ(mel.request().end, 20000u);
  lend(mel, samples);
  ASSERT_TRUE(mel.fill_window(80, 45) == RecordingMel::Progress::done);
  expect_quiet_window(*model, samples, 80);
}

}  // namespace susurrus::testing::recording_mel_test
