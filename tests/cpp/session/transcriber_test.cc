// Windows and whole recordings on a small random model: what they ask for, that they end, what they leave behind.
#include "session/transcriber.h"

#include <algorithm>
#include <new>

#include "session/allocation_count.h"
#include "session/recording_mel.h"
#include "whisper/random_model.h"

namespace susurrus::testing {
namespace {

constexpr uint64_t kWindowSamples = 2 * 37 * 160;

std::unique_ptr<WhisperModel> small_model(uint64_t seed, bool is_multilingual = true) {
  RandomModel random = random_model(kOddDimensions, seed, Dtype::f32, Dtype::f32, is_multilingual);
  auto model = WhisperModel::create(std::move(random.store), default_kernels());
  return model ? std::move(model).value() : nullptr;
}

std::vector<float> noise(size_t count) {
  Random random(99);
  std::vector<float> samples(count);
  for (float& sample : samples) sample = 0.1f * random.bell();
  return samples;
}

struct Outcome {
  std::vector<Segment> segments;
  std::string text;
  std::string language;
  size_t steps = 0;
};

/// Lends only the samples asked for, and checks the promises on the way.
Outcome transcribe(WhisperModel& model, const TranscribeOptions& options,
                   const std::vector<float>& samples) {
  Outcome outcome;
  auto transcriber = Transcriber::create(model, options, samples.size());
  if (!EXPECT_TRUE(transcriber.has_value())) return outcome;
  Transcriber& work = **transcriber;
  double progress = 0;
  for (;; ++outcome.steps) {
    auto state = work.step();
    if (!EXPECT_TRUE(state.has_value()) || !EXPECT_LT(outcome.steps, 100000u)) return outcome;
    EXPECT_GE(work.progress(), progress);
    progress = work.progress();
    if (*state == StepResult::done) break;
    if (*state == StepResult::segment_ready) outcome.segments.push_back(work.take_segment());
    if (*state != StepResult::need_audio) continue;
    const AudioRequest request = work.audio_request();
    if (!EXPECT_LE(request.end, samples.size())) return outcome;
    EXPECT_LE(request.end - request.begin, kWindowSamples + 400);
    EXPECT_EQ(work.audio_window().size(), request.end - request.begin);
    std::copy(samples.begin() + static_cast<ptrdiff_t>(request.begin),
              samples.begin() + static_cast<ptrdiff_t>(request.end), work.audio_window().begin());
  }
  EXPECT_EQ(progress, 1.0);
  outcome.text = work.text();
  outcome.language = work.language();
  return outcome;
}

TranscribeOptions options_of(std::string_view language, bool timestamps) {
  TranscribeOptions options;
  options.decode.language = language;
  options.decode.timestamps = timestamps;
  // Random weights find silence anywhere.
  options.no_speech_threshold = 2.0f;
  return options;
}

}  // namespace

SUSURRUS_TEST(recordings_of_any_length_come_to_an_end) {
  for (uint64_t seed : {21, 22, 23}) {
    auto model = small_model(seed);
    ASSERT_TRUE(model != nullptr);
    for (size_t count : {0, 1, 159, 160, 5000, 11840, 11841, 40000}) {
      for (bool timestamps : {false, true}) {
        const Outcome outcome = transcribe(*model, options_of("auto", timestamps), noise(count));
        EXPECT_TRUE(outcome.language == "en" || outcome.language == "de");
        EXPECT_EQ(outcome.segments.empty(), count < 160);
        for (size_t i = 0; i < outcome.segments.size(); ++i) {
          EXPECT_EQ(outcome.segments[i].id, i);
          EXPECT_LT(outcome.segments[i].seek, count / 160);
        }
      }
    }
  }
}

SUSURRUS_TEST(silent_windows_are_skipped) {
  auto model = small_model(24);
  ASSERT_TRUE(model != nullptr);
  TranscribeOptions options = options_of("en", true);
  options.no_speech_threshold = -1.0f;
  options.logprob_threshold = 1.0f;
  EXPECT_TRUE(transcribe(*model, options, noise(30000)).segments.empty());
  // A text that is probable enough is kept all the same.
  options.logprob_threshold = -1000.0f;
  EXPECT_FALSE(transcribe(*model, options, noise(30000)).segments.empty());
}

SUSURRUS_TEST(the_same_recording_gives_the_same_again) {
  auto model = small_model(25);
  ASSERT_TRUE(model != nullptr);
  const Outcome first = transcribe(*model, options_of("de", true), noise(30000));
  const Outcome second = transcribe(*model, options_of("de", true), noise(30000));
  EXPECT_EQ(first.text, second.text);
  EXPECT_EQ(first.steps, second.steps);
  EXPECT_EQ(first.language, "de");
}

SUSURRUS_TEST(a_model_of_one_language_is_not_asked_for_another) {
  auto model = small_model(26, false);
  ASSERT_TRUE(model != nullptr);
  EXPECT_EQ(transcribe(*model, options_of("auto", true), noise(2000)).language, "en");
  auto refused = Transcriber::create(*model, options_of("de", true), 100);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(refused.error().subject.view(), "language");
}

SUSURRUS_TEST(options_beyond_this_version_are_refused_by_name) {
  auto model = small_model(27);
  ASSERT_TRUE(model != nullptr);
  DecodeOptions options;
  options.temperature = 0.5f;
  auto refused = WindowDecoder::create(*model, options, {});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().subject.view(), "temperature");
  options.temperature = 0;
  options.language = "xx";
  EXPECT_FALSE(WindowDecoder::create(*model, options, {}).has_value());
}

SUSURRUS_TEST(the_token_loop_allocates_nothing) {
  auto model = small_model(28);
  ASSERT_TRUE(model != nullptr);
  for (float& value : model->mel_window()) value = 0.5f;
  DecodeOptions options;
  options.language = "en";
  auto decoder = WindowDecoder::create(*model, options, std::vector<uint32_t>(200, 65));
  ASSERT_TRUE(decoder.has_value());
  // The counter counts at all. (A call, unlike a new-expression, is not optimised away.)
  const uint64_t earlier = allocation_count();
  ::operator delete(::operator new(64));
  EXPECT_EQ(allocation_count(), earlier + 1);

  uint64_t allocations = 0;
  size_t tokens = 0;
  size_t last_position = 0;
  for (;;) {
    const uint64_t count = allocation_count();
    auto is_done = (*decoder)->step();
    ASSERT_TRUE(is_done.has_value());
    if (*is_done) break;
    const size_t position = model->decoder_position();
    // The prompt has 74 + 1 + 3 tokens; from the second token of the window's own on, the loop is under way.
    if (position > 80 && position != last_position) {
      ++tokens;
      allocations += allocation_count() - count;
      last_position = position;
    }
  }
  EXPECT_GT(tokens, 30u);
  EXPECT_EQ(allocations, 0u);
}

SUSURRUS_TEST(a_window_can_be_decoded_again_without_encoding) {
  auto model = small_model(29);
  ASSERT_TRUE(model != nullptr);
  for (float& value : model->mel_window()) value = 0.25f;
  std::vector<uint32_t> tokens;
  for (auto encoding : {WindowDecoder::Encoding::needed, WindowDecoder::Encoding::done}) {
    auto decoder = WindowDecoder::create(*model, DecodeOptions(), {}, encoding);
    ASSERT_TRUE(decoder.has_value());
    for (bool is_done = false; !is_done;) {
      auto result = (*decoder)->step();
      ASSERT_TRUE(result.has_value());
      is_done = *result;
    }
    const WindowResult& result = (*decoder)->result();
    EXPECT_FALSE(result.tokens.empty());
    if (encoding == WindowDecoder::Encoding::done) EXPECT_TRUE(result.tokens == tokens);
    tokens = result.tokens;
    for (float& value : model->mel_window()) value = 0;
  }
}

SUSURRUS_TEST(windows_of_a_recording_share_its_maximum_and_end_in_zeros) {
  auto model = small_model(30);
  ASSERT_TRUE(model != nullptr);
  // Loud first, then quiet: the quiet window's floor is the loud one's.
  std::vector<float> samples = noise(20000);
  for (size_t i = 12000; i < samples.size(); ++i) samples[i] *= 1e-5f;
  RecordingMel mel(*model, samples.size());
  auto lend = [&] {
    const AudioRequest request = mel.request();
    std::copy(samples.begin() + static_cast<ptrdiff_t>(request.begin),
              samples.begin() + static_cast<ptrdiff_t>(request.end), mel.samples().begin());
  };
  for (auto progress = mel.scan(); progress != RecordingMel::Progress::done;
       progress = mel.scan()) {
    if (progress == RecordingMel::Progress::need_audio) lend();
  }
  EXPECT_EQ(mel.content_frames(), 125u);
  ASSERT_TRUE(mel.fill_window(80, 45) == RecordingMel::Progress::need_audio);
  lend();
  ASSERT_TRUE(mel.fill_window(80, 45) == RecordingMel::Progress::done);

  std::vector<float> exact(125 * 7);
  const float maximum =
      model->log_mel().log_frames(samples, 0, samples.size(), kWindowSamples, 0, 125, exact.data());
  LogMel::normalise(exact, maximum);
  std::span<float> window = model->mel_window();
  for (size_t i = 0; i < window.size(); ++i) {
    EXPECT_NEAR(window[i], i < 45 * 7 ? exact[80 * 7 + i] : 0.0f, 1e-6);
  }
}

}  // namespace susurrus::testing
