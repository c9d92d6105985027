// Numbers of eight bits with a scale and a zero point, one for all or one for each index of an axis.
#include <algorithm>
#include <cmath>
#include <limits>

#include "graph/ops/elements.h"
#include "graph/ops/lists.h"
#include "graph/ops/wide_elements.h"

namespace susurrus {
namespace {

bool is_byte(ElementType type) { return type == ElementType::i8 || type == ElementType::u8; }

/// How many elements follow each other with the same scale, and how many scales there are.
struct Scales {
  size_t inner = 1;
  size_t count = 1;

  size_t of(size_t element) const { return count == 1 ? 0 : element / inner % count; }
};

Result<Scales> scales_of(const Shape& x, const Shape& scale, const Attributes& attributes) {
  Scales scales;
  if (scale.element_count() == 1) return scales;
  SUSURRUS_ASSIGN_OR_RETURN(const uint32_t axis, axis_of(attributes.integer(0), x.rank(), "axis"));
  if (scale != Shape{x[axis]}) {
    return wrong_input(1, "one scale, or one for each index of the axis", shape_text(scale).view());
  }
  scales.count = static_cast<size_t>(x[axis]);
  for (uint32_t i = axis + 1; i < x.rank(); ++i) scales.inner *= static_cast<size_t>(x[i]);
  return scales;
}

Status check_scales(const Inference& inference, ElementType zero_type) {
  const auto inputs = inference.inputs;
  if (inputs[1].type != ElementType::f32) {
    return wrong_input(1, "f32", element_type_name(inputs[1].type));
  }
  SUSURRUS_RETURN_IF_ERROR(scales_of(inputs[0].shape, inputs[1].shape, inference.attributes));
  if (!inference.has(2)) return ok_status();
  if (inputs[2].type != zero_type) {
    return wrong_input(2, element_type_name(zero_type), element_type_name(inputs[2].type));
  }
  if (inputs[2].shape.element_count() != inputs[1].shape.element_count()) {
    return wrong_input(2, "as many zero points as scales");
  }
  return ok_status();
}

/// Without a zero point: u8, with 0.
Status infer_quantize(Inference& inference) {
  const Operand& x = inference.inputs[0];
  if (x.type != ElementType::f32) return wrong_input(0, "f32", element_type_name(x.type));
  const ElementType type = inference.has(2) ? inference.inputs[2].type : ElementType::u8;
  if (!is_byte(type)) return wrong_input(2, "i8 or u8", element_type_name(type));
  SUSURRUS_RETURN_IF_ERROR(check_scales(inference, type));
  inference.outputs[0] = {type, x.shape};
  inference.work = elementwise_work(static_cast<size_t>(*x.shape.element_count()), 4);
  return ok_status();
}

/// To even where two are as near; beyond the range its end.
template <typename T>
T quantized(float x, float scale, T zero) {
  using Limits = std::numeric_limits<T>;
  const float value = std::nearbyint(x / scale) + static_cast<float>(zero);
  if (!(value > static_cast<float>(Limits::min()))) return Limits::min();
  return value >= static_cast<float>(Limits::max()) ? Limits::max() : static_cast<T>(value);
}

template <typename T>
void quantize(const Call& call, const Scales& scales, ElementRange range) {
  const float* x = call.inputs[0].f32();
  const float* scale = call.inputs[1].f32();
  const T* zero = call.has(2) ? static_cast<const T*>(call.inputs[2].data) : nullptr;
  T* y = static_cast<T*>(call.outputs[0].data);
  for (size_t i = range.begin; i < range.end; ++i) {
    const size_t which = scales.of(i);
    y[i] = quantized<T>(x[i], scale[which], zero == nullptr ? T{0} : zero[which]);
  }
}

Status run_quantize(const Call& call, size_t begin, size_t end) {
  SUSURRUS_ASSIGN_OR_RETURN(const Scales scales,
                            scales_of(call.inputs[0].shape, call.inputs[1].shape, call.attributes));
  const auto range = elements_of(call.outputs[0].count(), begin, end);
  if (call.outputs[0].type == ElementType::i8) {
    quantize<int8_t>(call, scales, range);
  } else {
    quantize<uint8_t>(call, scales, range);
  }
  return ok_status();
}

Status infer_dequantize(Inference& inference) {
  const Operand& x = inference.inputs[0];
  if (!is_byte(x.type) && x.type != ElementType::i32) {
    return wrong_input(0, "i8, u8 or i32", element_type_name(x.type));
  }
  SUSURRUS_RETURN_IF_ERROR(check_scales(inference, x.type));
  inference.outputs[0] = {ElementType::f32, x.shape};
  SUSURRUS_RETURN_IF_ERROR(check_size(ElementType::f32, x.shape));
  inference.work = elementwise_work(static_cast<size_t>(*x.shape.element_count()), 2);
  return ok_status();
}

Status run_dequantize(const Call& call, size_t begin, size_t end) {
  SUSURRUS_ASSIGN_OR_RETURN(const Scales scales,
                            scales_of(call.inputs[0].shape, call.inputs[1].shape, call.attributes));
  const auto range = elements_of(call.outputs[0].count(), begin, end);
  const float* scale = call.inputs[1].f32();
  float* y = call.outputs[0].f32();
  const Tensor& x = call.inputs[0];
  for (size_t i = range.begin; i < range.end; ++i) {
    const size_t which = scales.of(i);
    const double offset = call.has(2) ? number_at(x.type, call.inputs[2].data, which) : 0;
    y[i] = static_cast<float>((number_at(x.type, x.data, i) - offset) *
                              static_cast<double>(scale[which]));
  }
  return ok_status();
}

/// u8 with a scale and a zero point that the values themselves give; 0 is always exact.
Status infer_dynamic(Inference& inference) {
  const Operand& x = inference.inputs[0];
  if (x.type != ElementType::f32) return wrong_input(0, "f32", element_type_name(x.type));
  if (x.shape.element_count() == 0) return wrong_input(0, "an element at least");
  inference.outputs[0] = {ElementType::u8, x.shape};
  inference.outputs[1] = {ElementType::f32, {}};
  inference.outputs[2] = {ElementType::u8, {}};
  inference.work = {1, 4 * *x.shape.element_count()};
  return ok_status();
}

Status run_dynamic(const Call& call, size_t, size_t) {
  const std::span<const float> x = call.inputs[0].as<float>();
  float least = 0;
  float most = 0;
  for (float value : x) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
  const float scale = most == least ? 1 : (most - least) / 255;
  const auto zero = quantized<uint8_t>(-least, scale, 0);
  const auto y = call.outputs[0].as<uint8_t>();
  for (size_t i = 0; i < x.size(); ++i) y[i] = quantized<uint8_t>(x[i], scale, zero);
  call.outputs[1].f32()[0] = scale;
  call.outputs[2].as<uint8_t>()[0] = zero;
  return ok_status();
}

/// Bytes as i32 without their zero points.
Status infer_centre(Inference& inference) {
  const Operand& x = inference.inputs[0];
  if (!is_byte(x.type)) return wrong_input(0, "i8 or u8", element_type_name(x.type));
  if (inference.has(1)) {
    if (inference.inputs[1].type != x.type) return wrong_input(1, element_type_name(x.type));
    SUSURRUS_RETURN_IF_ERROR(scales_of(x.shape, inference.inputs[1].shape, inference.attributes));
  }
  inference.outputs[0] = {ElementType::i32, x.shape};
  SUSURRUS_RETURN_IF_ERROR(check_size(ElementType::i32, x.shape));
  inference.work = elementwise_work(static_cast<size_t>(*x.shape.element_count()));
  return ok_status();
}

Status run_centre(const Call& call, size_t begin, size_t end) {
  const auto range = elements_of(call.outputs[0].count(), begin, end);
  Scales scales;
  if (call.has(1)) {
    SUSURRUS_ASSIGN_OR_RETURN(
        scales, scales_of(call.inputs[0].shape, call.inputs[1].shape, call.attributes));
  }
  int32_t* y = call.outputs[0].as<int32_t>().data();
  const auto run = [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* x = static_cast<const T*>(call.inputs[0].data);
    const T* zero = call.has(1) ? static_cast<const T*>(call.inputs[1].data) : nullptr;
    for (size_t i = range.begin; i < range.end; ++i) {
      y[i] = x[i] - (zero == nullptr ? 0 : zero[scales.of(i)]);
    }
  };
  if (call.inputs[0].type == ElementType::i8) {
    run(ElementTag<int8_t>{});
  } else {
    run(ElementTag<uint8_t>{});
  }
  return ok_status();
}

constexpr AttributeSpec kAttributes[] = {{"axis", AttributeKind::integer, false, 1}};

constexpr Operator kOperators[] = {
    {.name = "quantize",
     .least_inputs = 2,
     .most_inputs = 3,
     .attributes = kAttributes,
     .infer = infer_quantize,
     .run = run_quantize},
    {.name = "dequantize",
     .least_inputs = 2,
     .most_inputs = 3,
     .attributes = kAttributes,
     .infer = infer_dequantize,
     .run = run_dequantize},
    {.name = "dynamic_quantize",
     .least_outputs = 3,
     .most_outputs = 3,
     .infer = infer_dynamic,
     .run = run_dynamic},
    {.name = "centre",
     .most_inputs = 2,
     .attributes = kAttributes,
     .infer = infer_centre,
     .run = run_centre},
};

}  // namespace

std::span<const Operator> quantised_operators() { return kOperators; }

}  // namespace susurrus
