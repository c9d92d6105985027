#include "session/networks/acoustic_engine.h"

#include "session/networks/acoustic_live.h"
#include "session/networks/beam_request.h"
#include "session/networks/network_options.h"
#include "session/networks/streamed_recognition.h"

namespace susurrus {
namespace {

/// Live audio is processed in pieces of this length.
constexpr double kLiveChunkSeconds = 1;

}  // namespace

Result<std::unique_ptr<AcousticEngine>> AcousticEngine::make(std::unique_ptr<AcousticModel> model) {
  // Rejects what cannot run now, not when speech arrives.
  if (auto live = AcousticLive::make(*model, {}); !live) return live.error();
  std::unique_ptr<AcousticEngine> engine(new AcousticEngine(std::move(model)));
  SUSURRUS_RETURN_IF_ERROR(engine->set_vocabulary(std::nullopt, std::nullopt));
  return engine;
}

Status AcousticEngine::set_vocabulary(std::optional<Lexicon> lexicon,
                                      std::optional<ArpaModel> language_model) {
  SUSURRUS_ASSIGN_OR_RETURN(vocabulary_,
                            BeamVocabulary::make(model_->tokens(), model_->transitions(), {},
                                                 std::move(lexicon), std::move(language_model)));
  return ok_status();
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
  SUSURRUS_ASSIGN_OR_RETURN(auto live, make_live(options, {}));
  return StreamedRecognition::make(std::move(live), sample_count, {}, wants_words(options));
}

Result<std::unique_ptr<LiveRecognition>> AcousticEngine::begin_live(JsonValue options) {
  if (!model_->is_limited()) return Engine::begin_live(options);
  return make_live(options, {.chunk_seconds = kLiveChunkSeconds});
}

Result<std::unique_ptr<LiveRecognition>> AcousticEngine::make_live(JsonValue options,
                                                                   AcousticOptions session) const {
  SUSURRUS_RETURN_IF_ERROR(check_network_options(options, beam_option_names()));
  SUSURRUS_ASSIGN_OR_RETURN(const auto beam, read_beam_options(options, *vocabulary_));
  if (beam) {
    session.vocabulary = vocabulary_.get();
    session.beam = *beam;
  }
  return AcousticLive::make(*model_, session);
}

}  // namespace susurrus
