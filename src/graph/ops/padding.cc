// Padding: a constant, the edge, or the elements after the edge mirrored; less than 0 cuts off.
#include <cstring>

#include "graph/ops/elements.h"
#include "graph/ops/lists.h"

namespace susurrus {
namespace {

enum Mode : int64_t { kConstant, kReflect, kEdge };
enum Attribute : size_t { kMode, kPads };

/// pads: before each dimension, then after each.
Result<Shape> padded_shape(const Shape& x, const Attributes& attributes) {
  const auto pads = attributes.integers(kPads);
  if (pads.size() != 2 * x.rank()) return wrong_attribute("pads", "two for each dimension");
  Shape shape;
  for (uint32_t i = 0; i < x.rank(); ++i) {
    constexpr int64_t kMost = int64_t{1} << 40;
    const int64_t before = pads[i];
    const int64_t after = pads[x.rank() + i];
    const auto is_far = [](int64_t pad) { return pad < -kMost || pad > kMost; };
    if (is_far(before) || is_far(after) || x[i] > uint64_t{kMost}) {
      return wrong_attribute("pads", "sizes that a tensor can have");
    }
    const auto dim = static_cast<int64_t>(x[i]);
    const int64_t size = before + dim + after;
    if (size < 0) return wrong_attribute("pads", "no more cut off than there is");
    const int64_t mode = attributes.integer(kMode);
    if (mode == kReflect &&
        (before >= std::max<int64_t>(dim, 1) || after >= std::max<int64_t>(dim, 1))) {
      return wrong_attribute("pads", "less than there is to mirror");
    }
    if (mode == kEdge && dim == 0 && size > 0) return wrong_attribute("pads", "an edge to repeat");
    shape.append(static_cast<uint64_t>(size));
  }
  return shape;
}

Status infer_pad(Inference& inference) {
  const Operand& x = inference.inputs[0];
  const int64_t mode = inference.attributes.integer(kMode);
  if (mode < kConstant || mode > kEdge) return wrong_attribute("mode", "0, 1 or 2");
  SUSURRUS_ASSIGN_OR_RETURN(const Shape shape, padded_shape(x.shape, inference.attributes));
  if (inference.has(1) &&
      (inference.inputs[1].type != x.type || inference.inputs[1].shape.element_count() != 1)) {
    return wrong_input(1, "one element of the first input's type");
  }
  inference.outputs[0] = {x.type, shape};
  SUSURRUS_RETURN_IF_ERROR(check_size(x.type, shape));
  inference.work = elementwise_work(static_cast<size_t>(*shape.element_count()));
  return ok_status();
}

Status run_pad(const Call& call, size_t begin, size_t end) {
  const Tensor& x = call.inputs[0];
  const Tensor& y = call.outputs[0];
  const auto pads = call.attributes.integers(kPads);
  const int64_t mode = call.attributes.integer(kMode);
  const Strides strides = Strides::of(x.shape);
  const size_t size = element_byte_count(y.type);
  const uint8_t zero[8] = {};
  const auto* filling = call.has(1) ? static_cast<const uint8_t*>(call.inputs[1].data) : zero;
  const auto* from = static_cast<const uint8_t*>(x.data);
  auto* to = static_cast<uint8_t*>(y.data);
  const auto range = elements_of(y.count(), begin, end);
  for (size_t at = range.begin; at < range.end; ++at) {
    size_t rest = at;
    int64_t place = 0;
    bool is_inside = true;
    for (uint32_t i = y.shape.rank(); i-- > 0;) {
      const auto out_dim = static_cast<size_t>(y.shape[i]);
      const auto dim = static_cast<int64_t>(x.shape[i]);
      int64_t index = static_cast<int64_t>(rest % out_dim) - pads[i];
      rest /= out_dim;
      if (mode == kEdge) index = std::clamp<int64_t>(index, 0, dim - 1);
      if (mode == kReflect) {
        if (index < 0) index = -index;
        if (index >= dim) index = 2 * (dim - 1) - index;
      }
      is_inside = is_inside && index >= 0 && index < dim;
      place += index * static_cast<int64_t>(strides.steps[i]);
    }
    std::memcpy(to + size * at, is_inside ? from + size * static_cast<size_t>(place) : filling,
                size);
  }
  return ok_status();
}

constexpr AttributeSpec kAttributes[] = {{"mode", AttributeKind::integer},
                                         {"pads", AttributeKind::integers, true}};

constexpr Operator kOperators[] = {
    {.name = "pad",
     .most_inputs = 2,
     .attributes = kAttributes,
     .infer = infer_pad,
     .run = run_pad},
};

}  // namespace

std::span<const Operator> padding_operators() { return kOperators; }

}  // namespace susurrus
