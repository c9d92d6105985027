#include "model_binding.h"

#include <emscripten/bind.h>
#include <emscripten/heap.h>
#include <unistd.h>

#include <algorithm>

namespace susurrus {

ErrorText ModelBinding::create(LoaderBinding& loader) {
  if (!loader.is_finished() && !loader.can_begin()) {
    return to_text(
        make_error(ErrorCode::wrong_state, ErrorReason::state).with_subject("Loader.finish"));
  }
  format_ = loader.sink().format();
  dtypes_ = loader.sink().dtypes();
  loader.give_up();
  loader.sink().begin();
  store_ = loader.sink().give_store();
  auto engine = create_engine(*store_, default_kernels());
  if (!engine) return failure(engine);
  engine_ = std::move(engine).value();
  whisper_ = WhisperModel::of(engine_.get());
  return {};
}

TokenView ModelBinding::tokenize(const std::string& text) {
  tokens_ = model().tokenizer().encode(text);
  return view(std::span<const uint32_t>(tokens_));
}

TokenView ModelBinding::token_window(uint32_t count) {
  // operator new ends the program where memory is short: a count that no real text reaches is rejected by a shorter view.
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
  std::span<const float> window = model().sample_window();
  SUSURRUS_CHECK(frame_count <= model().window_frames() && needed.begin >= begin &&
                 (needed.end <= needed.begin || needed.end - begin <= window.size()));
  size_t have = needed.end > begin ? static_cast<size_t>(needed.end - begin) : 0;
  return model().log_mel().log_frames(window.first(have), begin, total,
                                      static_cast<uint64_t>(zero_count), first, frame_count,
                                      model().mel_window().data());
}

void ModelBinding::normalise_mel(uint32_t frame_count, float maximum) {
  size_t count =
      std::min<size_t>(frame_count, model().window_frames()) * model().log_mel().n_mels();
  LogMel::normalise(model().mel_window().first(count), maximum);
}

ErrorText ModelBinding::begin_logits(bool appends) {
  const uint32_t n_vocab = model().dimensions().n_vocab;
  for (uint32_t token : tokens_) {
    if (token < n_vocab) continue;
    return to_text(make_error(ErrorCode::invalid_argument, ErrorReason::option)
                       .with_subject("tokens")
                       .with_expected("ids below n_vocab")
                       .with_got(token));
  }
  if (!model().is_encoded()) {
    return to_text(make_error(ErrorCode::wrong_state, ErrorReason::state)
                       .with_subject("logits")
                       .with_expected("encode() first"));
  }
  if (!appends) model().reset_decoder();
  return failure(model().begin_decode(tokens_));
}

namespace {

/// Memory up to here is all that the heap has in use.
double heap_end() { return static_cast<double>(reinterpret_cast<uintptr_t>(sbrk(0))); }

/// Makes room for another engine's memory.
bool grow_heap(double byte_count) {
  const auto wanted = static_cast<size_t>(byte_count);
  return wanted <= emscripten_get_heap_size() || emscripten_resize_heap(wanted) != 0;
}

/// The model that is there in memory that was copied from an engine of the same binary.
ModelBinding* model_at(double address) {
  return reinterpret_cast<ModelBinding*>(static_cast<uintptr_t>(address));
}

}  // namespace

EMSCRIPTEN_BINDINGS(model) {
  emscripten::function("heapEnd", &heap_end);
  emscripten::function("growHeap(byteCount)", &grow_heap);
  emscripten::function("modelAt(address)", &model_at, emscripten::allow_raw_pointers());
  emscripten::class_<BesideModelBinding, emscripten::base<EngineHolder>>("BesideModel")
      .constructor<>()
      .function("create(model)", &BesideModelBinding::create);
  emscripten::class_<ModelBinding, emscripten::base<EngineHolder>>("Model")
      .constructor<>()
      .function("create(loader)", &ModelBinding::create)
      .function("address", &ModelBinding::address)
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
