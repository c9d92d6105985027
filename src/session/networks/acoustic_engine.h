#pragma once
#include "families/acoustic/acoustic_session.h"
#include "session/engine.h"

namespace susurrus {

/// A BW2L model behind the interface that all families share.
class AcousticEngine : public Engine {
 public:
  /// unsupported_feature: the model takes several channels.
  static Result<std::unique_ptr<AcousticEngine>> make(std::unique_ptr<AcousticModel> model);
  /// What its beam searches go by, before anything is recognised. Errors as BeamVocabulary::make().
  Status set_vocabulary(std::optional<Lexicon> lexicon, std::optional<ArpaModel> language_model);

  const AcousticTokens& tokens() const { return model_->tokens(); }

  const char* family_name() const override { return "acoustic"; }
  MemoryPlan memory_plan() const override {
    return {.weight_bytes = model_->byte_count() + vocabulary_->byte_count()};
  }
  void write_facts(JsonWriter& json) const override;
  /// `options`: timestamps, and those of the beam search.
  Result<std::unique_ptr<Recognition>> begin(JsonValue options,
                                             std::optional<uint64_t> sample_count,
                                             JsonValue state) override;
  /// unsupported_feature: a model that sees whole recordings.
  Result<std::unique_ptr<LiveRecognition>> begin_live(JsonValue options) override;

 private:
  explicit AcousticEngine(std::unique_ptr<AcousticModel> model) : model_(std::move(model)) {}

  Result<std::unique_ptr<LiveRecognition>> make_live(JsonValue options,
                                                     AcousticOptions session) const;

  std::unique_ptr<AcousticModel> model_;
  std::unique_ptr<BeamVocabulary> vocabulary_;
};

}  // namespace susurrus
