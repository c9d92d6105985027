#pragma once
#include "families/transducer/transducer_model.h"
#include "session/engine.h"

namespace susurrus {

/// An .april model behind the interface that all families share.
class TransducerEngine : public Engine {
 public:
  /// Errors as TransducerModel::make() and TransducerSession::make().
  static Result<std::unique_ptr<Engine>> make(std::unique_ptr<TransducerModel> model);

  const char* family_name() const override { return "transducer"; }
  MemoryPlan memory_plan() const override { return plan_; }
  void write_facts(JsonWriter& json) const override;
  /// `options`: timestamps, frontEnd ("standard" or "april-asr-0.0.4").
  Result<std::unique_ptr<Recognition>> begin(JsonValue options,
                                             std::optional<uint64_t> sample_count,
                                             JsonValue state) override;
  Result<std::unique_ptr<LiveRecognition>> begin_live(JsonValue options) override;

 private:
  explicit TransducerEngine(std::unique_ptr<TransducerModel> model) : model_(std::move(model)) {}

  std::unique_ptr<TransducerModel> model_;
  MemoryPlan plan_;
};

}  // namespace susurrus
