#include "model_binding.h"

#include <emscripten/bind.h>

#include <algorithm>

namespace susurrus {

ErrorText ModelBinding::create(LoaderBinding& loader) {
  if (!loader.is_finished()) {
    return to_text(make_error(ErrorCode::wrong_state, ErrorReason::state).about("Loader.finish"));
  }
  format_ = loader.sink().format();
  dtypes_ = loader.sink().dtypes();
  warnings_ = loader.sink().store().warnings();
  loader.give_up();
  auto model = WhisperModel::create(std::move(loader.sink().store()), default_kernels());
  if (!model) return failure(model);
  model_ = std::move(model).value();
  return {};
}

std::string ModelBinding::facts() const {
  const WhisperDimensions& dims = model_->dimensions();
  const SpecialTokens& special = model_->special_tokens();
  const MemoryPlan plan = model_->memory_plan();
  JsonWriter json;
  json.begin_object();
  json.key("dims").begin_object();
#define SUSURRUS_DIMENSION(name, api_name) json.field(api_name, dims.name);
#include "facts/whisper_dimensions.inc"
#undef SUSURRUS_DIMENSION
  json.end_object();
  json.field("format", std::string_view(format_))
      .field("dtypes", std::span<const std::string>(dtypes_))
      .field("warnings", std::span<const std::string>(warnings_))
      .field("multilingual", special.is_multilingual);
  json.key("special")
      .begin_object()
      .field("endOfText", special.end_of_text)
      .field("startOfTranscript", special.start_of_transcript)
      .field("translate", special.translate)
      .field("transcribe", special.transcribe)
      .field("startOfLm", special.start_of_lm)
      .field("startOfPrevious", special.start_of_previous)
      .field("noSpeech", special.no_speech)
      .field("noTimestamps", special.no_timestamps)
      .field("timestampBegin", special.timestamp_begin);
  json.key("languages").begin_object();
  for (const auto& language : special.languages) json.field(language.code.view(), language.token);
  json.end_object().end_object();
  json.key("memoryPlan")
      .begin_object()
      .field("weightBytes", plan.weight_bytes)
      .field("kvCacheBytes", plan.kv_cache_bytes)
      .field("activationBytes", plan.activation_bytes)
      .end_object();
  return std::move(json.end_object()).text();
}

TokenView ModelBinding::tokenize(const std::string& text) {
  tokens_ = model_->tokenizer().encode(text);
  return view(std::span<const uint32_t>(tokens_));
}

TokenView ModelBinding::token_window(uint32_t count) {
  // operator new ends the program where memory is short: a count that no real text reaches is refused by a shorter view.
  constexpr uint32_t kMostTokens = 1 << 20;
  tokens_.assign(std::min(count, kMostTokens), 0);
  return view(std::span<const uint32_t>(tokens_));
}

Range ModelBinding::mel_samples(double first_frame, double frame_count, double sample_count) const {
  auto range =
      LogMel::samples_needed(static_cast<uint64_t>(first_frame), static_cast<uint64_t>(frame_count),
                             static_cast<uint64_t>(sample_count));
  return {static_cast<double>(range.begin), static_cast<double>(range.end)};
}

float ModelBinding::compute_log_mel(double samples_begin, double sample_count, double zero_count,
                                    double first_frame, uint32_t frame_count) {
  auto begin = static_cast<uint64_t>(samples_begin);
  auto total = static_cast<uint64_t>(sample_count);
  auto first = static_cast<uint64_t>(first_frame);
  auto needed = LogMel::samples_needed(first, frame_count, total);
  std::span<const float> window = model_->sample_window();
  SUSURRUS_CHECK(frame_count <= model_->window_frames() && needed.begin >= begin &&
                 (needed.end <= needed.begin || needed.end - begin <= window.size()));
  size_t have = needed.end > begin ? static_cast<size_t>(needed.end - begin) : 0;
  return model_->log_mel().log_frames(window.first(have), begin, total,
                                      static_cast<uint64_t>(zero_count), first, frame_count,
                                      model_->mel_window().data());
}

void ModelBinding::normalise_mel(uint32_t frame_count, float maximum) {
  size_t count =
      std::min<size_t>(frame_count, model_->window_frames()) * model_->log_mel().n_mels();
  LogMel::normalise(model_->mel_window().first(count), maximum);
}

ErrorText ModelBinding::begin_logits(bool appends) {
  const uint32_t n_vocab = model_->dimensions().n_vocab;
  for (uint32_t token : tokens_) {
    if (token < n_vocab) continue;
    return to_text(make_error(ErrorCode::invalid_argument, ErrorReason::option)
                       .about("tokens")
                       .expecting("ids below n_vocab")
                       .having(token));
  }
  if (!model_->is_encoded()) {
    return to_text(make_error(ErrorCode::wrong_state, ErrorReason::state)
                       .about("logits")
                       .expecting("encode() first"));
  }
  if (!appends) model_->reset_decoder();
  return failure(model_->begin_decode(tokens_));
}

EMSCRIPTEN_BINDINGS(model) {
  emscripten::class_<ModelBinding>("Model")
      .constructor<>()
      .function("create(loader)", &ModelBinding::create)
      .function("facts", &ModelBinding::facts)
      .function("melBands", &ModelBinding::mel_bands)
      .function("windowFrames", &ModelBinding::window_frames)
      .function("tokenize(text)", &ModelBinding::tokenize)
      .function("tokenWindow(count)", &ModelBinding::token_window)
      .function("detokenize", &ModelBinding::detokenize)
      .function("melSamples(firstFrame, frameCount, sampleCount)", &ModelBinding::mel_samples)
      .function("sampleWindow", &ModelBinding::sample_window)
      .function("melWindow", &ModelBinding::mel_window)
      .function("computeLogMel(samplesBegin, sampleCount, zeroCount, firstFrame, frameCount)",
                &ModelBinding::compute_log_mel)
      .function("normaliseMel(frameCount, maximum)", &ModelBinding::normalise_mel)
      .function("beginEncode", &ModelBinding::begin_encode)
      .function("encodeStep(milliseconds)", &ModelBinding::encode_step)
      .function("encoderOutput", &ModelBinding::encoder_output)
      .function("beginLogits(appends)", &ModelBinding::begin_logits)
      .function("logitsStep(milliseconds)", &ModelBinding::logits_step)
      .function("logits", &ModelBinding::logits);
}

}  // namespace susurrus
