#include "model_binding.h"

#include <emscripten/bind.h>

#include <algorithm>

namespace susurrus {

MaybeError ModelBinding::create(LoaderBinding& loader) {
  if (!loader.is_finished()) {
    return to_value(make_error(ErrorCode::wrong_state, ErrorReason::state).about("Loader.finish"));
  }
  format_ = loader.sink().format();
  dtypes_ = loader.sink().dtypes();
  warnings_ = loader.sink().store().warnings();
  loader.give_up();
  auto model = WhisperModel::create(std::move(loader.sink().store()), default_kernels());
  if (!model) return failure(model);
  model_ = std::move(model).value();
  return std::nullopt;
}

MemoryPlanValue ModelBinding::memory_plan() const {
  MemoryPlan plan = model_->memory_plan();
  return {static_cast<double>(plan.weight_bytes), static_cast<double>(plan.kv_cache_bytes),
          static_cast<double>(plan.activation_bytes)};
}

SpecialTokensValue ModelBinding::special_tokens() const {
  const SpecialTokens& special = model_->special_tokens();
  return {special.end_of_text,    special.start_of_transcript, special.translate,
          special.transcribe,     special.start_of_lm,         special.start_of_previous,
          special.no_speech,      special.no_timestamps,       special.timestamp_begin,
          special.is_multilingual};
}

StringList ModelBinding::language_codes() const {
  std::vector<std::string> codes;
  for (const auto& language : model_->special_tokens().languages) {
    codes.emplace_back(language.code.view());
  }
  return list(codes);
}

double ModelBinding::language_token(const std::string& code) const {
  auto token = model_->special_tokens().language_token(code);
  return token ? static_cast<double>(*token) : -1;
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

MaybeError ModelBinding::begin_logits() {
  const uint32_t n_vocab = model_->dimensions().n_vocab;
  for (uint32_t token : tokens_) {
    if (token < n_vocab) continue;
    return to_value(make_error(ErrorCode::invalid_argument, ErrorReason::option)
                        .about("tokens")
                        .expecting("ids below n_vocab")
                        .having(token));
  }
  if (!model_->is_encoded()) {
    return to_value(make_error(ErrorCode::wrong_state, ErrorReason::state)
                        .about("logits")
                        .expecting("encode() first"));
  }
  model_->reset_decoder();
  return failure(model_->begin_decode(tokens_));
}

EMSCRIPTEN_BINDINGS(model) {
  emscripten::value_object<WhisperDimensions>("Dimensions")
      .field("nVocab", &WhisperDimensions::n_vocab)
      .field("nAudioCtx", &WhisperDimensions::n_audio_ctx)
      .field("nTextCtx", &WhisperDimensions::n_text_ctx)
      .field("nMels", &WhisperDimensions::n_mels)
      .field("nAudioLayer", &WhisperDimensions::n_audio_layer)
      .field("nTextLayer", &WhisperDimensions::n_text_layer)
      .field("nAudioHead", &WhisperDimensions::n_audio_head)
      .field("nTextHead", &WhisperDimensions::n_text_head)
      .field("nAudioState", &WhisperDimensions::n_audio_state)
      .field("nTextState", &WhisperDimensions::n_text_state);
  emscripten::value_object<MemoryPlanValue>("MemoryPlan")
      .field("weightBytes", &MemoryPlanValue::weight_bytes)
      .field("kvCacheBytes", &MemoryPlanValue::kv_cache_bytes)
      .field("activationBytes", &MemoryPlanValue::activation_bytes);
  emscripten::value_object<SpecialTokensValue>("SpecialTokens")
      .field("endOfText", &SpecialTokensValue::end_of_text)
      .field("startOfTranscript", &SpecialTokensValue::start_of_transcript)
      .field("translate", &SpecialTokensValue::translate)
      .field("transcribe", &SpecialTokensValue::transcribe)
      .field("startOfLm", &SpecialTokensValue::start_of_lm)
      .field("startOfPrevious", &SpecialTokensValue::start_of_previous)
      .field("noSpeech", &SpecialTokensValue::no_speech)
      .field("noTimestamps", &SpecialTokensValue::no_timestamps)
      .field("timestampBegin", &SpecialTokensValue::timestamp_begin)
      .field("isMultilingual", &SpecialTokensValue::is_multilingual);

  emscripten::class_<ModelBinding>("Model")
      .constructor<>()
      .function("create(loader)", &ModelBinding::create)
      .function("dimensions", &ModelBinding::dimensions)
      .function("format", &ModelBinding::format)
      .function("dtypes", &ModelBinding::dtypes)
      .function("warnings", &ModelBinding::warnings)
      .function("memoryPlan", &ModelBinding::memory_plan)
      .function("specialTokens", &ModelBinding::special_tokens)
      .function("languageCodes", &ModelBinding::language_codes)
      .function("languageToken(code)", &ModelBinding::language_token)
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
      .function("encodeStep", &ModelBinding::encode_step)
      .function("encoderOutput", &ModelBinding::encoder_output)
      .function("beginLogits", &ModelBinding::begin_logits)
      .function("logitsStep", &ModelBinding::logits_step)
      .function("logits", &ModelBinding::logits);
}

}  // namespace susurrus
