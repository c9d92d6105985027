#pragma once
#include "families/acoustic/acoustic_model.h"
#include "session/engine.h"

namespace susurrus {

/// A BW2L model behind the interface that all families share.
class AcousticEngine : public Engine {
 public:
  /// unsupported_feature: a model that hears several channels.
  static Result<std::unique_ptr<Engine>> make(std::unique_ptr<AcousticModel> model);

  const char* family_name() const override { return "acoustic"; }
  MemoryPlan memory_plan() const override { return {.weight_bytes = model_->byte_count()}; }
  void write_facts(JsonWriter& json) const override;
  /// `options`: timestamps.
  Result<std::unique_ptr<Recognition>> begin(JsonValue options,
                                             std::optional<uint64_t> sample_count,
                                             JsonValue state) override;
  /// unsupported_feature: a model that sees whole recordings.
  Result<std::unique_ptr<LiveRecognition>> begin_live(JsonValue options) override;

 private:
  explicit AcousticEngine(std::unique_ptr<AcousticModel> model) : model_(std::move(model)) {}

  std::unique_ptr<AcousticModel> model_;
};

}  // namespace susurrus
