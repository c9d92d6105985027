#include "session/networks/acoustic_engine.h"

#include "session/networks/acoustic_live.h"
#include "session/networks/network_options.h"
#include "session/networks/streamed_recognition.h"

namespace susurrus {
namespace {

/// Of sound that comes as it is spoken.
constexpr double kLiveChunkSeconds = 1;

}  // namespace

Result<std::unique_ptr<Engine>> AcousticEngine::make(std::unique_ptr<AcousticModel> model) {
  // What can be refused is refused now, not when somebody speaks.
  if (auto live = AcousticLive::make(*model, {}); !live) return live.error();
  return std::unique_ptr<Engine>(new AcousticEngine(std::move(model)));
}

void AcousticEngine::write_facts(JsonWriter& json) const {
  json.field("sampleRate", model_->sample_rate())
      .field("tokenCount", static_cast<uint64_t>(model_->tokens().size()))
      .field("streams", model_->is_limited())
      .field("rightContext", model_->right_context_seconds());
}

Result<std::unique_ptr<Recognition>> AcousticEngine::begin(JsonValue options,
                                                           std::optional<uint64_t> sample_count,
                                                           JsonValue) {
  SUSURRUS_RETURN_IF_ERROR(check_network_options(options, {}));
  SUSURRUS_ASSIGN_OR_RETURN(auto live, AcousticLive::make(*model_, {}));
  return StreamedRecognition::make(std::move(live), sample_count, {}, wants_words(options));
}

Result<std::unique_ptr<LiveRecognition>> AcousticEngine::begin_live(JsonValue options) {
  SUSURRUS_RETURN_IF_ERROR(check_network_options(options, {}));
  if (!model_->is_limited()) return Engine::begin_live(options);
  return AcousticLive::make(*model_, {.chunk_seconds = kLiveChunkSeconds});
}

}  // namespace susurrus
