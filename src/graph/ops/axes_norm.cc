// Normalization over any axes: (x - mean) / sqrt(variance + epsilon), times input 1, plus input 2, each one number.
#include <cmath>

#include "graph/ops/elements.h"
#include "graph/ops/lists.h"

namespace susurrus {
namespace {

enum Attribute : size_t { kAxes, kEpsilon };

/// The dimensions that stay, and those that a mean is made over, with their places in the tensor.
struct Axes {
  Shape kept;
  Shape normed;
  Strides kept_steps;
  Strides normed_steps;
};

Result<Axes> axes_of(const Shape& x, std::span<const int64_t> list) {
  std::array<bool, limits::kMaxDims> is_normed{};
  for (int64_t axis : list) {
    SUSURRUS_ASSIGN_OR_RETURN(const uint32_t at, axis_of(axis, x.rank(), "axes"));
    if (is_normed[at]) return wrong_attribute("axes", "each axis once");
    is_normed[at] = true;
  }
  const Strides own = Strides::of(x);
  Axes axes;
  for (uint32_t i = 0; i < x.rank(); ++i) {
    Shape& shape = is_normed[i] ? axes.normed : axes.kept;
    Strides& strides = is_normed[i] ? axes.normed_steps : axes.kept_steps;
    strides.steps[shape.rank()] = own.steps[i];
    shape.append(x[i]);
  }
  return axes;
}

Status infer_axes_norm(Inference& inference) {
  const Operand& x = inference.inputs[0];
  if (x.type != ElementType::f32) return wrong_input(0, "f32", element_type_name(x.type));
  SUSURRUS_ASSIGN_OR_RETURN(const Axes axes,
                            axes_of(x.shape, inference.attributes.integers(kAxes)));
  for (size_t i = 1; i < inference.inputs.size(); ++i) {
    if (!inference.has(i)) continue;
    const Operand& own = inference.inputs[i];
    if (own.type != x.type || own.shape.element_count() != 1) {
      return wrong_input(i, "one f32", shape_text(own.shape).view());
    }
  }
  inference.outputs[0] = {x.type, x.shape};
  inference.work = {static_cast<size_t>(*axes.kept.element_count()), 4 * *x.shape.element_count()};
  return ok_status();
}

Status run_axes_norm(const Call& call, size_t begin, size_t end) {
  const Tensor& x = call.inputs[0];
  SUSURRUS_ASSIGN_OR_RETURN(const Axes axes, axes_of(x.shape, call.attributes.integers(kAxes)));
  const auto count = static_cast<size_t>(*axes.normed.element_count());
  const uint32_t rank = axes.normed.rank();
  const size_t step = rank == 0 ? 0 : static_cast<size_t>(axes.normed_steps.steps[rank - 1]);
  const double scale = call.has(1) ? static_cast<double>(call.inputs[1].f32()[0]) : 1;
  const double bias = call.has(2) ? static_cast<double>(call.inputs[2].f32()[0]) : 0;
  for (size_t item = begin; item < end; ++item) {
    size_t base = 0;
    size_t rest = item;
    for (uint32_t i = axes.kept.rank(); i-- > 0;) {
      base +=
          rest % static_cast<size_t>(axes.kept[i]) * static_cast<size_t>(axes.kept_steps.steps[i]);
      rest /= static_cast<size_t>(axes.kept[i]);
    }
    const auto visit = [&](auto&& one) {
      for_each_row<1>(axes.normed, {axes.normed_steps}, 0, count,
                      [&](size_t, size_t row, const std::array<size_t, 1>& places) {
                        for (size_t i = 0; i < row; ++i) one(base + places[0] + i * step);
                      });
    };
    double mean = 0;
    visit([&](size_t at) { mean += static_cast<double>(x.f32()[at]); });
    mean /= static_cast<double>(count);
    double variance = 0;
    visit([&](size_t at) {
      const double difference = static_cast<double>(x.f32()[at]) - mean;
      variance += difference * difference;
    });
    variance /= static_cast<double>(count);
    const double factor = scale / std::sqrt(variance + call.attributes.number(kEpsilon));
    visit([&](size_t at) {
      call.outputs[0].f32()[at] =
          static_cast<float>((static_cast<double>(x.f32()[at]) - mean) * factor + bias);
    });
  }
  return ok_status();
}

constexpr AttributeSpec kAttributes[] = {{"axes", AttributeKind::integers, true},
                                         {"epsilon", AttributeKind::number, false, 1e-5}};

constexpr Operator kOperators[] = {
    {.name = "axes_norm",
     .most_inputs = 3,
     .attributes = kAttributes,
     .infer = infer_axes_norm,
     .run = run_axes_norm},
};

}  // namespace

std::span<const Operator> axes_norm_operators() { return kOperators; }

}  // namespace susurrus
