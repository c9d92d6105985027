#include "audio/log_mel.h"

#include <emscripten/bind.h>

#include <optional>

#include "engine_values.h"
#include "input_window.h"

namespace susurrus {
namespace {

constexpr uint32_t kWindowFrames = 2 * kOfficialAudioContext;

/// Whisper's log-mel spectrogram without a model: Model's calls that are about it, after create().
class LogMelBinding {
 public:
  /// For create(): [nMels, 201], finite, none below 0.
  ByteView input_window(double byte_count) { return filterbank_.fill(byte_count); }
  /// `filterbank_byte_count` 0: Whisper's filterbank.
  ErrorText create(uint32_t n_mels, double filterbank_byte_count) {
    auto bytes = filterbank_.filled(filterbank_byte_count);
    if (!bytes) return failure(bytes);
    const std::span<const float> filterbank(reinterpret_cast<const float*>(bytes->data()),
                                            bytes->size() / sizeof(float));
    auto log_mel = LogMel::create(n_mels, filterbank);
    if (!log_mel) return failure(log_mel);
    filterbank_.release();
    auto samples = AlignedBuffer::allocate(
        (uint64_t{kWindowFrames} * kHopSamples + kFftSize) * sizeof(float), "samples");
    if (!samples) return failure(samples);
    auto mel = AlignedBuffer::allocate(uint64_t{kWindowFrames} * n_mels * sizeof(float), "mel");
    if (!mel) return failure(mel);
    log_mel_ = std::move(log_mel).value();
    samples_ = std::move(samples).value();
    mel_ = std::move(mel).value();
    return {};
  }

  uint32_t mel_bands() const { return log_mel_->n_mels(); }
  uint32_t window_frames() const { return kWindowFrames; }
  Range mel_samples(double first_frame, double frame_count, double sample_count) const {
    const auto range = LogMel::samples_needed(static_cast<uint64_t>(first_frame),
                                              static_cast<uint64_t>(frame_count),
                                              static_cast<uint64_t>(sample_count));
    return {static_cast<double>(range.begin), static_cast<double>(range.end)};
  }
  FloatView sample_window() const { return view(samples_.floats()); }
  FloatView mel_window() const { return view(mel_.floats()); }
  float compute(double samples_begin, double sample_count, double zero_count, double first_frame,
                uint32_t frame_count) {
    SUSURRUS_CHECK(frame_count <= kWindowFrames);
    return log_mel_->log_frames(
        samples_.floats(), static_cast<uint64_t>(samples_begin),
        static_cast<uint64_t>(sample_count), static_cast<uint64_t>(zero_count),
        static_cast<uint64_t>(first_frame), frame_count, mel_.floats().data());
  }
  void normalise(uint32_t frame_count, float maximum) {
    SUSURRUS_CHECK(frame_count <= kWindowFrames);
    LogMel::normalise(mel_.floats().first(size_t{frame_count} * mel_bands()), maximum);
  }

 private:
  InputWindow filterbank_{size_t{MelFilterbank::kMaxMels} * kFrequencyBins * sizeof(float)};
  std::optional<LogMel> log_mel_;
  AlignedBuffer samples_;
  AlignedBuffer mel_;
};

}  // namespace

EMSCRIPTEN_BINDINGS(log_mel) {
  emscripten::value_object<Range>("Range").field("begin", &Range::begin).field("end", &Range::end);
  emscripten::class_<LogMelBinding>("LogMel")
      .constructor<>()
      .function("inputWindow(byteCount)", &LogMelBinding::input_window)
      .function("create(nMels, filterbankByteCount)", &LogMelBinding::create)
      .function("melBands", &LogMelBinding::mel_bands)
      .function("windowFrames", &LogMelBinding::window_frames)
      .function("melSamples(firstFrame, frameCount, sampleCount)", &LogMelBinding::mel_samples)
      .function("sampleWindow", &LogMelBinding::sample_window)
      .function("melWindow", &LogMelBinding::mel_window)
      .function("computeLogMel(samplesBegin, sampleCount, zeroCount, firstFrame, frameCount)",
                &LogMelBinding::compute)
      .function("normaliseMel(frameCount, maximum)", &LogMelBinding::normalise);
}

}  // namespace susurrus
