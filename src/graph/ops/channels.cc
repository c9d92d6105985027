// Normalization of each channel: by given statistics, or by its own.
#include <cmath>

#include "graph/ops/elements.h"
#include "graph/ops/lists.h"

namespace susurrus {
namespace {

enum ChannelAttribute : size_t { kEpsilon, kAxis };
/// Inputs of a scale and a bias for each channel, which both may be left out; before them mean and variance, where they are given.
template <bool HasStatistics>
constexpr size_t kScale = HasStatistics ? 3 : 1;
constexpr size_t kX = 0;
constexpr size_t kMean = 1;
constexpr size_t kVariance = 2;

template <bool HasStatistics>
Status infer_norm(Inference& inference) {
  const Operand& x = inference.inputs[kX];
  if (x.type != ElementType::f32) return wrong_input(kX, "f32", element_type_name(x.type));
  SUSURRUS_ASSIGN_OR_RETURN(
      const uint32_t axis,
      axis_of(HasStatistics ? inference.attributes.integer(kAxis) : 1, x.shape.rank(), "axis"));
  for (size_t i = 1; i < inference.inputs.size(); ++i) {
    const Operand& own = inference.inputs[i];
    if (!own.is_present) continue;
    if (own.type != x.type || own.shape.element_count() != x.shape[axis]) {
      return wrong_input(i, "a value for each channel", shape_text(own.shape).view());
    }
  }
  inference.outputs[0] = {x.type, x.shape};
  // An item is a channel of what lies in front of it.
  size_t items = 1;
  for (uint32_t i = 0; i <= axis; ++i) items *= static_cast<size_t>(x.shape[i]);
  inference.work = {items, 2 * *x.shape.element_count()};
  return ok_status();
}

template <bool HasStatistics>
Status run_norm(const Call& call, size_t begin, size_t end) {
  const Tensor& x = call.inputs[kX];
  SUSURRUS_ASSIGN_OR_RETURN(
      const uint32_t axis,
      axis_of(HasStatistics ? call.attributes.integer(kAxis) : 1, x.shape.rank(), "axis"));
  const auto channels = static_cast<size_t>(x.shape[axis]);
  size_t count = 1;
  for (uint32_t i = axis + 1; i < x.shape.rank(); ++i) count *= static_cast<size_t>(x.shape[i]);
  for (size_t item = begin; item < end; ++item) {
    const float* from = x.f32() + item * count;
    float* to = call.outputs[0].f32() + item * count;
    const size_t channel = item % channels;
    const auto value = [&](size_t input, double usual) {
      return call.has(input) ? static_cast<double>(call.inputs[input].f32()[channel]) : usual;
    };
    double mean = 0;
    double variance = 0;
    if constexpr (HasStatistics) {
      mean = value(kMean, 0);
      variance = value(kVariance, 1);
    } else {
      for (size_t i = 0; i < count; ++i) mean += static_cast<double>(from[i]);
      mean /= static_cast<double>(count);
      for (size_t i = 0; i < count; ++i) {
        const double difference = static_cast<double>(from[i]) - mean;
        variance += difference * difference;
      }
      variance /= static_cast<double>(count);
    }
    const double factor =
        value(kScale<HasStatistics>, 1) / std::sqrt(variance + call.attributes.number(kEpsilon));
    const double bias = value(kScale<HasStatistics> + 1, 0);
    for (size_t i = 0; i < count; ++i) {
      to[i] = static_cast<float>((static_cast<double>(from[i]) - mean) * factor + bias);
    }
  }
  return ok_status();
}

constexpr AttributeSpec kAttributes[] = {{"epsilon", AttributeKind::number, false, 1e-5},
                                         {"axis", AttributeKind::integer, false, 1}};

constexpr Operator kOperators[] = {
    {.name = "batch_norm",
     .least_inputs = 3,
     .most_inputs = 5,
     .attributes = kAttributes,
     .infer = infer_norm<true>,
     .run = run_norm<true>},
    {.name = "instance_norm",
     .most_inputs = 3,
     .attributes = std::span(kAttributes).first(1),
     .infer = infer_norm<false>,
     .run = run_norm<false>},
};

}  // namespace

std::span<const Operator> channel_operators() { return kOperators; }

}  // namespace susurrus
