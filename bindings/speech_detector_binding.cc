// The probability of speech for each 32 ms.
#include <emscripten/bind.h>

#include <array>
#include <optional>

#include "families/detector/speech_detector.h"
#include "input_window.h"

namespace susurrus {
namespace {

class SpeechDetectorBinding {
 public:
  /// For the bytes of the whole module; create() then reads it. Empty when there is no memory for it.
  ByteView module_window(double byte_count) {
    module_.emplace(static_cast<size_t>(byte_count));
    return module_->fill(byte_count);
  }
  ErrorText create(double byte_count) {
    auto bytes = module_->filled(byte_count);
    if (!bytes) return failure(bytes);
    auto detector = SpeechDetector::make(*bytes);
    module_.reset();
    if (!detector) return failure(detector);
    detector_.emplace(std::move(detector).value());
    return {};
  }
  /// Input of hear(): 32-bit floats at 16 kHz, at most kMostFrames frames.
  ByteView input_window(double byte_count) { return window_.fill(byte_count); }
  /// Whole frames, but for a shorter one that ends the recording. Makes a probability of each.
  ErrorText hear(double byte_count) {
    auto bytes = window_.filled(byte_count);
    if (!bytes) return failure(bytes);
    const std::span samples(reinterpret_cast<const float*>(bytes->data()),
                            bytes->size() / sizeof(float));
    frame_count_ = SpeechDetector::frame_count(samples.size());
    return failure(detector_->hear(samples, probabilities_));
  }
  FloatView probabilities() const {
    return view(std::span<const float>(probabilities_).first(frame_count_));
  }

 private:
  /// A quarter of a second: steps stay short.
  static constexpr size_t kMostFrames = 8;

  std::optional<InputWindow> module_;
  std::optional<SpeechDetector> detector_;
  InputWindow window_{kMostFrames * SpeechDetector::kFrameSamples * sizeof(float)};
  std::array<float, kMostFrames> probabilities_{};
  size_t frame_count_ = 0;
};

}  // namespace

EMSCRIPTEN_BINDINGS(speech_detector) {
  emscripten::class_<SpeechDetectorBinding>("SpeechDetector")
      .constructor<>()
      .function("moduleWindow(byteCount)", &SpeechDetectorBinding::module_window)
      .function("create(byteCount)", &SpeechDetectorBinding::create)
      .function("inputWindow(byteCount)", &SpeechDetectorBinding::input_window)
      .function("hear(byteCount)", &SpeechDetectorBinding::hear)
      .function("probabilities", &SpeechDetectorBinding::probabilities);
}

}  // namespace susurrus
