// Scores of attention by distance: [..., T, W], one for each distance, to [..., T, T], one for each pair of places.
#include "graph/ops/elements.h"
#include "graph/ops/lists.h"

namespace susurrus {
namespace {

/// Attribute centre: the index of distance 0. y[t][s] = x[t][centre + s - t], and 0 where there is no such index.
Status infer_relative(Inference& inference) {
  const Operand& x = inference.inputs[0];
  if (x.type != ElementType::f32) return wrong_input(0, "f32", element_type_name(x.type));
  if (x.shape.rank() < 2) return wrong_input(0, "2 dimensions or more");
  const int64_t centre = inference.attributes.integer(0);
  if (centre < 0 || static_cast<uint64_t>(centre) >= x.shape.last()) {
    return wrong_attribute("centre", "an index of the last dimension");
  }
  Shape shape;
  for (uint32_t i = 0; i + 1 < x.shape.rank(); ++i) shape.append(x.shape[i]);
  shape.append(shape.last());
  inference.outputs[0] = {x.type, shape};
  SUSURRUS_RETURN_IF_ERROR(check_size(x.type, shape));
  // An item is a row.
  inference.work = {
      static_cast<size_t>(*shape.element_count() / std::max<uint64_t>(1, shape.last())),
      *shape.element_count()};
  return ok_status();
}

Status run_relative(const Call& call, size_t begin, size_t end) {
  const auto width = static_cast<int64_t>(call.inputs[0].shape.last());
  const auto places = static_cast<int64_t>(call.outputs[0].shape.last());
  for (size_t item = begin; item < end; ++item) {
    const int64_t first = call.attributes.integer(0) - static_cast<int64_t>(item) % places;
    const float* from = call.inputs[0].f32() + item * static_cast<size_t>(width);
    float* to = call.outputs[0].f32() + item * static_cast<size_t>(places);
    for (int64_t s = 0; s < places; ++s) {
      const int64_t at = first + s;
      to[s] = at >= 0 && at < width ? from[at] : 0;
    }
  }
  return ok_status();
}

constexpr AttributeSpec kAttributes[] = {{"centre", AttributeKind::integer}};

constexpr Operator kOperators[] = {
    {.name = "relative_positions",
     .attributes = kAttributes,
     .infer = infer_relative,
     .run = run_relative},
};

}  // namespace

std::span<const Operator> relative_position_operators() { return kOperators; }

}  // namespace susurrus
