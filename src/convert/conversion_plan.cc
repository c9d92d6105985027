#include "convert/conversion_plan.h"

#include <cmath>

#include "container/whisper_tensors.h"

namespace susurrus {
namespace {

Dtype choose_dtype(const WhisperTensor& tensor, Dtype dtype) {
  const bool is_position_table = tensor.name.ends_with("positional_embedding");
  if (dtype == Dtype::f32 || tensor.shape.rank() == 1 || is_position_table) return Dtype::f32;
  if (!is_block_dtype(dtype)) return dtype;
  return tensor.shape.rank() == 2 && tensor_byte_count(dtype, tensor.shape) ? dtype : Dtype::f16;
}

}  // namespace

Result<ConversionPlan> plan_conversion(const WhisperDimensions& dimensions,
                                       std::span<const TensorInfo> source, Dtype dtype,
                                       bool may_reverse_dims) {
  if (!is_weight_dtype(dtype)) {
    return make_error(ErrorCode::invalid_argument, ErrorReason::option)
        .about("dtype")
        .expecting("a type of weights")
        .having(dtype_traits(dtype).name);
  }
  WhisperTensorRules rules;
  rules.may_reverse_dims = may_reverse_dims;
  rules.may_lack_encoder_positions = true;
  SUSURRUS_ASSIGN(WhisperTensorMap map, map_whisper_tensors(dimensions, source, rules));

  ConversionPlan plan;
  plan.warnings = std::move(map.warnings);
  for (size_t i = 0; i < map.tensors.size(); ++i) {
    WhisperTensor& tensor = map.tensors[i];
    PlannedTensor planned;
    planned.dtype = choose_dtype(tensor, dtype);
    planned.name = std::move(tensor.name);
    planned.shape = tensor.shape;
    if (map.sources[i] == WhisperTensorMap::kAbsent) {
      plan.warnings.push_back(planned.name + " is absent; it is computed");
    } else {
      planned.source = map.sources[i];
    }
    plan.tensors.push_back(std::move(planned));
  }
  for (const TensorInfo& tensor : source) {
    if (tensor.name == "proj_out.weight") {
      plan.warnings.push_back(
          "proj_out.weight is ignored: the output is tied to the token embedding");
    }
  }
  return plan;
}

void encoder_position(uint64_t position, std::span<float> row) {
  const size_t half = row.size() / 2;
  const float increment = static_cast<float>(-std::log(10000.0) / (static_cast<double>(half) - 1));
  for (size_t i = 0; i < half; ++i) {
    const float exponent = increment * static_cast<float>(i);
    const float rate = static_cast<float>(std::exp(static_cast<double>(exponent)));
    const float angle = static_cast<float>(position) * rate;
    row[i] = static_cast<float>(std::sin(static_cast<double>(angle)));
    row[half + i] = static_cast<float>(std::cos(static_cast<double>(angle)));
  }
}

}  // namespace susurrus
