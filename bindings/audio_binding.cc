#include <emscripten/bind.h>

#include <string>

#include "audio/audio_converter.h"
#include "input_window.h"

namespace susurrus {
namespace {

/// Audio of any rate and channels to 16 kHz mono; audio_converter.h tells the order of calls.
class AudioConverterBinding {
 public:
  void begin_wav() { converter_ = AudioConverter::from_wav(); }
  ErrorText begin_samples(uint32_t sample_rate, uint32_t channels) {
    auto converter = AudioConverter::from_samples(sample_rate, channels);
    if (!converter) return failure(converter);
    converter_ = std::move(converter).value();
    return {};
  }

  /// For push_bytes(), or the bytes of whole samples for push_samples().
  ByteView input_window(double byte_count) { return window_.fill(byte_count); }
  ErrorText push_bytes(double byte_count) {
    auto bytes = window_.filled(byte_count);
    if (!bytes) return failure(bytes);
    return failure(converter_->push_bytes(*bytes));
  }
  ErrorText push_samples(double byte_count) {
    auto bytes = window_.filled(byte_count);
    if (!bytes) return failure(bytes);
    std::span<const float> samples(reinterpret_cast<const float*>(bytes->data()),
                                   bytes->size() / sizeof(float));
    return failure(converter_->push_samples(samples));
  }
  ErrorText finish() { return failure(converter_->finish()); }

  FloatView output() const { return view(converter_->output()); }
  void consume(double sample_count) { converter_->consume(static_cast<size_t>(sample_count)); }

 private:
  static constexpr size_t kWindowBytes = 256 << 10;

  std::optional<AudioConverter> converter_;
  InputWindow window_{kWindowBytes};
};

}  // namespace

EMSCRIPTEN_BINDINGS(audio) {
  emscripten::class_<AudioConverterBinding>("AudioConverter")
      .constructor<>()
      .function("beginWav", &AudioConverterBinding::begin_wav)
      .function("beginSamples(sampleRate, channels)", &AudioConverterBinding::begin_samples)
      .function("inputWindow(byteCount)", &AudioConverterBinding::input_window)
      .function("pushBytes(byteCount)", &AudioConverterBinding::push_bytes)
      .function("pushSamples(byteCount)", &AudioConverterBinding::push_samples)
      .function("finish", &AudioConverterBinding::finish)
      .function("output", &AudioConverterBinding::output)
      .function("consume(sampleCount)", &AudioConverterBinding::consume);
}

}  // namespace susurrus
