#include <emscripten/bind.h>

#include "model_binding.h"
#include "session/transcriber.h"

namespace susurrus {
namespace {

/// Both decoders' options; validated in TypeScript.
struct OptionsValue {
  std::string language;
  bool timestamps = true;
};

DecodeOptions to_options(const OptionsValue& value) {
  DecodeOptions options;
  options.language.assign(value.language);
  options.timestamps = value.timestamps;
  return options;
}

struct SegmentValue {
  uint32_t id = 0;
  double seek = 0;
  double start = 0;
  double end = 0;
  std::string text;
  float temperature = 0;
  float avg_logprob = 0;
  float compression_ratio = 0;
  float no_speech_prob = 0;
};

/// One recording to segments. The model must outlive it.
class TranscriberBinding {
 public:
  MaybeError begin(ModelBinding& model, const OptionsValue& options, double sample_count) {
    TranscribeOptions transcribe;
    transcribe.decode = to_options(options);
    auto transcriber =
        Transcriber::create(model.model(), transcribe, static_cast<uint64_t>(sample_count));
    if (!transcriber) return failure(transcriber);
    transcriber_ = std::move(transcriber).value();
    return std::nullopt;
  }

  Step step() {
    auto result = transcriber_->step();
    if (!result) {
      error_ = to_value(result.error());
      return Step::failed;
    }
    switch (*result) {
      case StepResult::need_audio: return Step::need_audio;
      case StepResult::working: return Step::working;
      case StepResult::segment_ready:
        segment_ = transcriber_->take_segment();
        return Step::segment_ready;
      case StepResult::done: return Step::done;
    }
    return Step::failed;
  }
  /// After Step.failed.
  MaybeError error() const { return error_; }

  Range audio_request() const {
    AudioRequest request = transcriber_->audio_request();
    return {static_cast<double>(request.begin), static_cast<double>(request.end)};
  }
  FloatView audio_window() { return view(std::span<const float>(transcriber_->audio_window())); }
  SegmentValue segment() const {
    return {segment_.id,
            static_cast<double>(segment_.seek),
            segment_.start,
            segment_.end,
            segment_.text,
            segment_.temperature,
            segment_.avg_logprob,
            segment_.compression_ratio,
            segment_.no_speech_prob};
  }
  TokenView segment_tokens() const { return view(std::span<const uint32_t>(segment_.tokens)); }
  std::string language() const { return std::string(transcriber_->language()); }
  std::string text() const { return transcriber_->text(); }
  double progress() const { return transcriber_->progress(); }

 private:
  std::unique_ptr<Transcriber> transcriber_;
  Segment segment_;
  MaybeError error_;
};

struct WindowValue {
  std::string text;
  float avg_logprob = 0;
  float no_speech_prob = 0;
  float temperature = 0;
  float compression_ratio = 0;
  std::string language;
};

/// The mel window to tokens. The model must outlive it.
class WindowDecoderBinding {
 public:
  MaybeError begin(ModelBinding& model, const OptionsValue& options) {
    auto decoder = WindowDecoder::create(model.model(), to_options(options), {});
    if (!decoder) return failure(decoder);
    decoder_ = std::move(decoder).value();
    return std::nullopt;
  }
  Step step() {
    auto done = decoder_->step();
    if (!done) {
      error_ = to_value(done.error());
      return Step::failed;
    }
    return *done ? Step::done : Step::working;
  }
  MaybeError error() const { return error_; }

  WindowValue result() const {
    const WindowResult& result = decoder_->result();
    return {result.text,        result.avg_logprob,       result.no_speech_prob,
            result.temperature, result.compression_ratio, std::string(result.language.view())};
  }
  TokenView tokens() const { return view(std::span<const uint32_t>(decoder_->result().tokens)); }

 private:
  std::unique_ptr<WindowDecoder> decoder_;
  MaybeError error_;
};

}  // namespace

EMSCRIPTEN_BINDINGS(decoding) {
  emscripten::value_object<OptionsValue>("DecodingOptions")
      .field("language", &OptionsValue::language)
      .field("timestamps", &OptionsValue::timestamps);
  emscripten::value_object<SegmentValue>("Segment")
      .field("id", &SegmentValue::id)
      .field("seek", &SegmentValue::seek)
      .field("start", &SegmentValue::start)
      .field("end", &SegmentValue::end)
      .field("text", &SegmentValue::text)
      .field("temperature", &SegmentValue::temperature)
      .field("avgLogprob", &SegmentValue::avg_logprob)
      .field("compressionRatio", &SegmentValue::compression_ratio)
      .field("noSpeechProb", &SegmentValue::no_speech_prob);
  emscripten::class_<TranscriberBinding>("Transcriber")
      .constructor<>()
      .function("begin(model, options, sampleCount)", &TranscriberBinding::begin)
      .function("step", &TranscriberBinding::step)
      .function("error", &TranscriberBinding::error)
      .function("audioRequest", &TranscriberBinding::audio_request)
      .function("audioWindow", &TranscriberBinding::audio_window)
      .function("segment", &TranscriberBinding::segment)
      .function("segmentTokens", &TranscriberBinding::segment_tokens)
      .function("language", &TranscriberBinding::language)
      .function("text", &TranscriberBinding::text)
      .function("progress", &TranscriberBinding::progress);

  emscripten::value_object<WindowValue>("WindowResult")
      .field("text", &WindowValue::text)
      .field("avgLogprob", &WindowValue::avg_logprob)
      .field("noSpeechProb", &WindowValue::no_speech_prob)
      .field("temperature", &WindowValue::temperature)
      .field("compressionRatio", &WindowValue::compression_ratio)
      .field("language", &WindowValue::language);
  emscripten::class_<WindowDecoderBinding>("WindowDecoder")
      .constructor<>()
      .function("begin(model, options)", &WindowDecoderBinding::begin)
      .function("step", &WindowDecoderBinding::step)
      .function("error", &WindowDecoderBinding::error)
      .function("result", &WindowDecoderBinding::result)
      .function("tokens", &WindowDecoderBinding::tokens);
}

}  // namespace susurrus
