// What a model will take, from its description alone.
#include <emscripten/bind.h>

#include "container/apr2/apr2_metadata.h"
#include "convert/conversion_plan.h"
#include "families/whisper/weights.h"
#include "families/whisper/whisper_family.h"
#include "families/whisper/whisper_tensors.h"
#include "inspector_binding.h"
#include "session/load_plan.h"

namespace susurrus {
namespace {

/// How engines pack weights, as far as sizes go: in either layout a panel is as large.
constexpr WeightPacking kPacking = {
    .layout = WeightLayout::panels_of_4,
    .pack = [](const TensorView& weight, WeightLayout, MutableByteSpan, MutableByteSpan) {
      return weight;
    }};

Result<LoadPlan> plan_of(const WhisperDimensions& dimensions, std::span<const TensorInfo> tensors,
                         uint32_t threads, uint32_t sequences) {
  ModelMetadata metadata;
  metadata.model_type.assign(kWhisperFamily.name);
  metadata.vocabulary_follows = true;  // no matter which
  metadata.family.emplace<WhisperMetadata>().dimensions = dimensions;
  ModelManifest manifest;
  manifest.metadata = &metadata;
  manifest.tensors = tensors;
  WeightStore store(whisper_alone(), kPacking);
  SUSURRUS_RETURN_IF_ERROR(store.on_manifest(manifest));
  return plan_load(store, kPacking.layout, threads, sequences);
}

/// JSON: {plan, dims}, or {error} as ErrorText has it.
std::string answer(const Result<LoadPlan>& plan, const WhisperDimensions& dimensions) {
  JsonWriter json;
  json.begin_object();
  if (!plan) return std::move(json.key("error").json(to_text(plan.error())).end_object()).text();
  json.key("plan")
      .begin_object()
      .field("weightBytes", plan->weight_bytes)
      .field("kvCacheBytes", plan->kv_cache_bytes)
      .field("activationBytes", plan->activation_bytes)
      .field("sequenceBytes", plan->sequence_bytes)
      .field("wordBytes", plan->word_bytes)
      .field("overheadBytes", plan->overhead_bytes)
      .field("peakBytes", plan->peak_bytes())
      .end_object();
  return std::move(json.key("dims").json(architecture_text(dimensions)).end_object()).text();
}

/// The plan for a model file whose index has been read.
std::string plan_model(const InspectorBinding& inspector, uint32_t threads, uint32_t sequences) {
  const InspectSink& sink = inspector.sink();
  const WhisperMetadata* whisper = sink.metadata().whisper();
  if (whisper == nullptr) return answer(not_of_family(sink.metadata(), kWhisperFamily.name), {});
  const WhisperDimensions& dimensions = whisper->dimensions;
  return answer(plan_of(dimensions, sink.tensors(), threads, sequences), dimensions);
}

Result<std::vector<TensorInfo>> converted_tensors(const WhisperDimensions& dimensions,
                                                  Dtype dtype) {
  SUSURRUS_RETURN_IF_ERROR(check_computable(dimensions));
  std::vector<TensorInfo> tensors;
  for (WantedTensor& wanted : whisper_tensors(dimensions)) {
    TensorInfo& tensor = tensors.emplace_back();
    tensor.name = std::move(wanted.name);
    tensor.shape = wanted.shape;
  }
  SUSURRUS_ASSIGN_OR_RETURN(const ConversionPlan plan,
                            plan_conversion(dimensions, tensors, TypeRule::by_loss, dtype, false));
  for (const PlannedTensor& planned : plan.tensors) {
    TensorInfo& tensor = tensors[planned.source];
    tensor.dtype = planned.dtype;
    tensor.raw_byte_count = tensor_byte_count(planned.dtype, planned.shape).value_or(0);
    tensor.stored_byte_count = tensor.raw_byte_count;
  }
  return tensors;
}

/// The plan for a Whisper of these dimensions (JSON with APR2's names) once its weights are
/// `dtype`.
std::string plan_converted(const std::string& architecture, const std::string& dtype,
                           uint32_t threads, uint32_t sequences) {
  auto document = JsonDocument::parse(architecture, JsonOrigin{});
  const auto dimensions = document ? read_architecture(document->root()) : std::nullopt;
  const auto type = dtype_from_name(dtype);
  if (!dimensions || !type) {
    const Error error = make_error(ErrorCode::invalid_argument, ErrorReason::option)
                            .with_subject(dimensions ? "dtype" : "dims");
    return answer(error, {});
  }
  const auto tensors = converted_tensors(*dimensions, *type);
  if (!tensors) return answer(tensors.error(), {});
  return answer(plan_of(*dimensions, *tensors, threads, sequences), *dimensions);
}

}  // namespace

EMSCRIPTEN_BINDINGS(load_plan) {
  emscripten::function("planModel(inspector, threads, sequences)", &plan_model);
  emscripten::function("planConverted(dimensions, dtype, threads, sequences)", &plan_converted);
}

}  // namespace susurrus
