#include "convert/conversion_plan.h"

#include <cmath>

#include "convert/quantize.h"
#include "families/whisper/whisper_tensors.h"
#include "kernels/half.h"
#include "tensor/scaled_integers.h"

namespace susurrus {
namespace {

/// Whether a half holds every integer times the scale.
bool has_exact_halves(float scale) {
  for (int integer = 1; integer <= 128; ++integer) {
    const float value = static_cast<float>(integer) * scale;
    if (f32_from_f16(f16_from_f32(value)) != value) return false;
  }
  return true;
}

bool is_position_table(std::string_view name) { return name.ends_with("positional_embedding"); }

bool is_attention_matrix(std::string_view name) {
  return name.find("attn.") != std::string_view::npos;
}

/// The next block type with more bits a value; ggml has none of six or seven.
Dtype wider_dtype(Dtype dtype) {
  switch (dtype) {
    case Dtype::q4_0: return Dtype::q5_0;
    case Dtype::q4_1: return Dtype::q5_1;
    case Dtype::q5_0:
    case Dtype::q5_1: return Dtype::q8_0;
    default: return dtype;
  }
}

Dtype exact_dtype(const TensorInfo& source, const Shape& shape) {
  if (source.scale != 0) return has_exact_halves(source.scale) ? Dtype::f16 : Dtype::f32;
  // Blocks of a shape that is another one here.
  return tensor_byte_count(source.dtype, shape) ? source.dtype : Dtype::f32;
}

/// `source`: null for a tensor that is computed.
Dtype choose_dtype(const WantedTensor& tensor, const TensorInfo* source, TypeRule rule,
                   Dtype dtype) {
  if (rule == TypeRule::uniform) return dtype;
  const bool is_exact = rule == TypeRule::exact || rule == TypeRule::stored;
  const bool is_vector = tensor.shape.rank() == 1 || is_position_table(tensor.name);
  if (is_vector && rule != TypeRule::stored) return Dtype::f32;
  if (is_exact) return source == nullptr ? Dtype::f32 : exact_dtype(*source, tensor.shape);
  if (!is_block_dtype(dtype)) return dtype;
  const bool is_matrix = tensor.shape.rank() == 2 && tensor_byte_count(dtype, tensor.shape);
  if (!is_matrix) return Dtype::f16;
  // Integers go over as they are, or, where their scale forbids it, exactly.
  const bool keeps_integers = dtype == Dtype::q8_0 && source != nullptr && source->scale != 0;
  if (keeps_integers && dtype_of_scaled_integers(source->scale, tensor.shape, true) != dtype) {
    return exact_dtype(*source, tensor.shape);
  }
  const bool is_stored_so = source != nullptr && source->dtype == dtype;
  const bool is_wider = rule == TypeRule::by_loss && is_attention_matrix(tensor.name);
  return is_wider && !is_stored_so ? wider_dtype(dtype) : dtype;
}

}  // namespace

Result<ConversionPlan> plan_conversion(const WhisperDimensions& dimensions,
                                       std::span<const TensorInfo> source, TypeRule rule,
                                       Dtype dtype, bool may_reverse_dims) {
  if (!is_weight_dtype(dtype) && !(rule == TypeRule::uniform && dtype == Dtype::i8)) {
    return make_error(ErrorCode::invalid_argument, ErrorReason::option)
        .with_subject("dtype")
        .with_expected("a type of weights")
        .with_got(dtype_traits(dtype).name);
  }
  WhisperTensorRules rules;
  rules.may_reverse_dims = may_reverse_dims;
  rules.may_lack_encoder_positions = true;
  SUSURRUS_ASSIGN_OR_RETURN(TensorMatch map, match_whisper_tensors(dimensions, source, rules));

  ConversionPlan plan;
  plan.warnings = std::move(map.warnings);
  plan.filterbank = map.filterbank;
  for (size_t i = 0; i < map.tensors.size(); ++i) {
    WantedTensor& tensor = map.tensors[i];
    PlannedTensor planned;
    const bool is_absent = map.sources[i] == TensorMatch::kAbsent;
    planned.dtype =
        choose_dtype(tensor, is_absent ? nullptr : &source[map.sources[i]], rule, dtype);
    planned.name = std::move(tensor.name);
    planned.shape = tensor.shape;
    if (is_absent) {
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

Result<Dtype> ggml_file_dtype(const ConversionPlan& exact) {
  std::optional<Dtype> matrices;
  bool has_blocks = false;
  bool has_other_matrices = false;
  bool is_half = true;
  for (const PlannedTensor& tensor : exact.tensors) {
    if (tensor.shape.rank() == 1 || is_position_table(tensor.name)) continue;
    is_half = is_half && tensor.dtype == Dtype::f16;
    if (tensor.shape.rank() != 2) continue;
    has_blocks = has_blocks || is_block_dtype(tensor.dtype);
    has_other_matrices = has_other_matrices || (matrices && *matrices != tensor.dtype);
    matrices = tensor.dtype;
  }
  if (has_blocks && has_other_matrices) {
    return make_error(ErrorCode::invalid_argument, ErrorReason::option)
        .with_subject("dtype")
        .with_expected("a dtype, since ggml has one for all matrices")
        .with_got("matrices of several types");
  }
  if (has_blocks) return *matrices;
  return is_half ? Dtype::f16 : Dtype::f32;
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
