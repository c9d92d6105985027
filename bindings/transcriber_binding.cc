// Work on a recording, driven step by step. Options and results are JSON with the API's names.
#include <emscripten/bind.h>

#include "engine_holder.h"
#include "engine_values.h"
#include "request.h"
#include "slice.h"

namespace susurrus {

std::string EngineHolder::facts(std::string_view format, std::span<const std::string> dtypes,
                                std::span<const std::string> warnings) const {
  const MemoryPlan plan = engine_->memory_plan();
  JsonWriter json;
  json.begin_object()
      .field("family", engine_->family_name())
      .field("format", format)
      .field("dtypes", dtypes)
      .field("warnings", warnings);
  json.key("memoryPlan")
      .begin_object()
      .field("weightBytes", plan.weight_bytes)
      .field("kvCacheBytes", plan.kv_cache_bytes)
      .field("activationBytes", plan.activation_bytes)
      .end_object();
  engine_->write_facts(json);
  return std::move(json.end_object()).text();
}

namespace {

/// One recording to segments, of a model of any family, which must outlive it.
class TranscriberBinding {
 public:
  /// `sample_count` is negative for a stream. `state_json`: of an earlier one; empty to begin.
  ErrorText begin(EngineHolder& model, const std::string& options_json, double sample_count,
                  const std::string& state_json) {
    return failure(start(model.engine(), options_json, sample_count, state_json));
  }

  /// Works for up to `milliseconds`, or until the caller has something to do.
  Step step(double milliseconds) {
    return run_slice(milliseconds, Step::working, [this] { return step_once(); });
  }
  /// After Step.failed.
  ErrorText error() const { return error_; }

  Range audio_request() const {
    AudioRequest request = transcriber_->audio_request();
    return {static_cast<double>(request.begin), static_cast<double>(request.end)};
  }
  FloatView audio_window() { return view(std::span<const float>(transcriber_->audio_window())); }
  void end_audio(double sample_count) {
    transcriber_->end_audio(static_cast<uint64_t>(sample_count));
  }
  std::string take_segment() { return transcriber_->take_event(); }
  /// After Step.stateReady, as JSON.
  std::string state() const { return transcriber_->state(); }
  std::string language() const { return std::string(transcriber_->language()); }
  /// As JSON.
  std::string languages() const { return transcriber_->languages(); }
  /// As JSON.
  std::string text() const { return JsonWriter().value(transcriber_->text()).text(); }
  double progress() const { return transcriber_->progress(); }

 private:
  Step step_once() {
    auto result = transcriber_->step();
    if (!result) {
      error_ = to_text(result.error());
      return Step::failed;
    }
    switch (*result) {
      case StepResult::need_audio: return Step::need_audio;
      case StepResult::need_weights: return Step::need_weights;
      case StepResult::working: return Step::working;
      case StepResult::segment_ready: return Step::segment_ready;
      case StepResult::rejected_ready: return Step::rejected_ready;
      case StepResult::state_ready: return Step::state_ready;
      case StepResult::done: return Step::done;
    }
    return Step::failed;
  }

  Status start(Engine& engine, const std::string& options_json, double sample_count,
               const std::string& state_json) {
    SUSURRUS_ASSIGN_OR_RETURN(JsonDocument request, parse_request(options_json));
    SUSURRUS_ASSIGN_OR_RETURN(JsonDocument state,
                              parse_request(state_json.empty() ? "null" : state_json));
    std::optional<uint64_t> count;
    if (sample_count >= 0) count = static_cast<uint64_t>(sample_count);
    SUSURRUS_ASSIGN_OR_RETURN(
        transcriber_,
        engine.begin(request.root(), count, state_json.empty() ? JsonValue() : state.root()));
    return ok_status();
  }

  std::unique_ptr<Recognition> transcriber_;
  ErrorText error_;
};

}  // namespace

EMSCRIPTEN_BINDINGS(transcriber) {
  emscripten::class_<EngineHolder>("EngineHolder");
  emscripten::class_<TranscriberBinding>("Transcriber")
      .constructor<>()
      .function("begin(model, options, sampleCount, state)", &TranscriberBinding::begin)
      .function("step(milliseconds)", &TranscriberBinding::step)
      .function("error", &TranscriberBinding::error)
      .function("audioRequest", &TranscriberBinding::audio_request)
      .function("audioWindow", &TranscriberBinding::audio_window)
      .function("endAudio(sampleCount)", &TranscriberBinding::end_audio)
      .function("takeSegment", &TranscriberBinding::take_segment)
      .function("state", &TranscriberBinding::state)
      .function("language", &TranscriberBinding::language)
      .function("languages", &TranscriberBinding::languages)
      .function("text", &TranscriberBinding::text)
      .function("progress", &TranscriberBinding::progress);
}

}  // namespace susurrus
