// Elements divided by what a line of them comes to: softmax, L2 and layer norm. Sums are made in double.
#include <array>
#include <cmath>
#include <limits>

#include "graph/ops/elements.h"
#include "graph/ops/lists.h"
#include "graph/ops/wide_elements.h"

namespace susurrus {
namespace {

Status infer_along(Inference& inference) {
  const Operand& x = inference.inputs[0];
  if (x.type != ElementType::f32 && x.type != ElementType::f64) return wrong_input(0, "f32 or f64");
  SUSURRUS_ASSIGN_OR_RETURN(const uint32_t axis,
                            axis_of(inference.attributes.integer(0), x.shape.rank(), "axis"));
  inference.outputs[0] = {x.type, x.shape};
  inference.work = {AxisLayout::of(x.shape, axis).line_count(), 10 * *x.shape.element_count()};
  return ok_status();
}

/// Calls run(from, to, count, step) for the lines [begin, end) of x and of the output along attribute 0's axis.
template <typename Run>
Status for_each_line(const Call& call, size_t begin, size_t end, Run run) {
  const Tensor& x = call.inputs[0];
  SUSURRUS_ASSIGN_OR_RETURN(const uint32_t axis,
                            axis_of(call.attributes.integer(0), x.shape.rank(), "axis"));
  const AxisLayout lines = AxisLayout::of(x.shape, axis);
  const auto run_all = [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (size_t i = begin; i < end; ++i) {
      const size_t place = lines.line_begin(i, lines.length);
      run(static_cast<const T*>(x.data) + place, static_cast<T*>(call.outputs[0].data) + place,
          lines.length, lines.inner);
    }
  };
  if (x.type == ElementType::f64) {
    run_all(ElementTag<double>{});
  } else {
    run_all(ElementTag<float>{});
  }
  return ok_status();
}

template <bool IsLogarithm>
Status run_softmax(const Call& call, size_t begin, size_t end) {
  const auto run = []<typename T>(const T* from, T* to, size_t count, size_t step) {
    T most = -std::numeric_limits<T>::infinity();
    for (size_t k = 0; k < count; ++k) most = std::max(most, from[k * step]);
    double sum = 0;
    for (size_t k = 0; k < count; ++k) sum += std::exp(static_cast<double>(from[k * step] - most));
    for (size_t k = 0; k < count; ++k) {
      const auto shifted = static_cast<double>(from[k * step] - most);
      to[k * step] =
          static_cast<T>(IsLogarithm ? shifted - std::log(sum) : std::exp(shifted) / sum);
    }
  };
  return for_each_line(call, begin, end, run);
}

/// x / sqrt(sum of squares + epsilon) along an axis.
Status run_l2_normalise(const Call& call, size_t begin, size_t end) {
  const double epsilon = call.attributes.number(1);
  const auto run = [epsilon]<typename T>(const T* from, T* to, size_t count, size_t step) {
    double sum = epsilon;
    for (size_t k = 0; k < count; ++k) {
      sum += static_cast<double>(from[k * step]) * static_cast<double>(from[k * step]);
    }
    const double scale = 1 / std::sqrt(sum);
    for (size_t k = 0; k < count; ++k) {
      to[k * step] = static_cast<T>(static_cast<double>(from[k * step]) * scale);
    }
  };
  return for_each_line(call, begin, end, run);
}

/// (x - mean) / sqrt(variance + epsilon) over the dimensions from `axis` on, then times input 1, plus input 2, of those
/// dimensions; both may be left out.
enum LayerNormAttribute : size_t { kNormAxis, kEpsilon };

Status infer_layer_norm(Inference& inference) {
  const Operand& x = inference.inputs[0];
  if (x.type != ElementType::f32) return wrong_input(0, "f32", element_type_name(x.type));
  SUSURRUS_ASSIGN_OR_RETURN(const uint32_t axis, axis_of(inference.attributes.integer(kNormAxis),
                                                         x.shape.rank(), "axis"));
  Shape row;
  size_t rows = 1;
  for (uint32_t i = 0; i < x.shape.rank(); ++i) {
    if (i < axis) {
      rows *= static_cast<size_t>(x.shape[i]);
    } else {
      row.append(x.shape[i]);
    }
  }
  for (size_t i = 1; i < inference.inputs.size(); ++i) {
    const Operand& own = inference.inputs[i];
    if (!own.is_present) continue;
    if (own.type != x.type || own.shape.element_count() != row.element_count()) {
      return wrong_input(i, shape_text(row).view(), shape_text(own.shape).view());
    }
  }
  inference.outputs[0] = {x.type, x.shape};
  inference.work = {rows, 4 * *x.shape.element_count()};
  return ok_status();
}

Status run_layer_norm(const Call& call, size_t begin, size_t end) {
  const Tensor& x = call.inputs[0];
  SUSURRUS_ASSIGN_OR_RETURN(const uint32_t axis,
                            axis_of(call.attributes.integer(kNormAxis), x.shape.rank(), "axis"));
  size_t count = 1;
  for (uint32_t i = axis; i < x.shape.rank(); ++i) count *= static_cast<size_t>(x.shape[i]);
  const float* scale = call.has(1) ? call.inputs[1].f32() : nullptr;
  const float* bias = call.has(2) ? call.inputs[2].f32() : nullptr;
  for (size_t row = begin; row < end; ++row) {
    const float* from = x.f32() + row * count;
    float* to = call.outputs[0].f32() + row * count;
    double mean = 0;
    for (size_t i = 0; i < count; ++i) mean += static_cast<double>(from[i]);
    mean /= static_cast<double>(count);
    double variance = 0;
    for (size_t i = 0; i < count; ++i) {
      const double difference = static_cast<double>(from[i]) - mean;
      variance += difference * difference;
    }
    variance /= static_cast<double>(count);
    const double factor = 1 / std::sqrt(variance + call.attributes.number(kEpsilon));
    for (size_t i = 0; i < count; ++i) {
      double y = (static_cast<double>(from[i]) - mean) * factor;
      if (scale != nullptr) y *= static_cast<double>(scale[i]);
      if (bias != nullptr) y += static_cast<double>(bias[i]);
      to[i] = static_cast<float>(y);
    }
  }
  return ok_status();
}

constexpr AttributeSpec kAxisAttributes[] = {{"axis", AttributeKind::integer, false, -1}};
constexpr AttributeSpec kL2Attributes[] = {{"axis", AttributeKind::integer, false, -1},
                                           {"epsilon", AttributeKind::number, false, 1e-10}};
constexpr AttributeSpec kLayerNormAttributes[] = {{"axis", AttributeKind::integer, false, -1},
                                                  {"epsilon", AttributeKind::number, false, 1e-5}};

constexpr Operator kOperators[] = {
    {.name = "softmax",
     .attributes = kAxisAttributes,
     .infer = infer_along,
     .run = run_softmax<false>},
    {.name = "log_softmax",
     .attributes = kAxisAttributes,
     .infer = infer_along,
     .run = run_softmax<true>},
    {.name = "l2_normalise",
     .attributes = kL2Attributes,
     .infer = infer_along,
     .run = run_l2_normalise},
    {.name = "layer_norm",
     .most_inputs = 3,
     .attributes = kLayerNormAttributes,
     .infer = infer_layer_norm,
     .run = run_layer_norm},
};

}  // namespace

std::span<const Operator> normalising_operators() { return kOperators; }

}  // namespace susurrus
