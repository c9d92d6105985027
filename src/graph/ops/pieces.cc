// Tensors joined along an axis, or parted.
#include <cstring>
#include <optional>

#include "graph/ops/elements.h"
#include "graph/ops/lists.h"

namespace susurrus {
namespace {

/// A dimension that no tensor has: its size is rejected.
constexpr uint64_t kMostDim = ~uint64_t{0};

/// Copies the pieces [begin, end) along the axis into the whole tensor, or out of it.
Status copy_pieces(const Call& call, std::span<const Tensor> pieces, const Tensor& whole,
                   bool into_whole, size_t begin, size_t end) {
  SUSURRUS_ASSIGN_OR_RETURN(const uint32_t axis,
                            axis_of(call.attributes.integer(0), whole.shape.rank(), "axis"));
  const AxisLayout blocks = AxisLayout::of(whole.shape, axis);
  const size_t size = element_byte_count(whole.type) * blocks.inner;
  const size_t row = size * static_cast<size_t>(whole.shape[axis]);
  auto* place = static_cast<uint8_t*>(whole.data);
  for (size_t i = 0; i < end; ++i) {
    auto* own = static_cast<uint8_t*>(pieces[i].data);
    const size_t length = size * static_cast<size_t>(pieces[i].shape[axis]);
    for (size_t k = 0; i >= begin && length > 0 && k < blocks.outer; ++k) {
      std::memcpy(into_whole ? place + k * row : own + k * length,
                  into_whole ? own + k * length : place + k * row, length);
    }
    place += length;
  }
  return ok_status();
}

Status infer_concat(Inference& inference) {
  const Operand& first = inference.inputs[0];
  SUSURRUS_ASSIGN_OR_RETURN(const uint32_t axis,
                            axis_of(inference.attributes.integer(0), first.shape.rank(), "axis"));
  std::optional<uint64_t> dim = 0;
  for (size_t i = 0; i < inference.inputs.size(); ++i) {
    const Operand& x = inference.inputs[i];
    if (x.type != first.type) return wrong_input(i, element_type_name(first.type));
    bool fits = x.shape.rank() == first.shape.rank();
    for (uint32_t k = 0; fits && k < first.shape.rank(); ++k) {
      fits = k == axis || x.shape[k] == first.shape[k];
    }
    if (!fits) return wrong_input(i, shape_text(first.shape).view(), shape_text(x.shape).view());
    if (dim) dim = checked_add(*dim, x.shape[axis]);
  }
  Shape shape;
  for (uint32_t k = 0; k < first.shape.rank(); ++k) {
    shape.append(k == axis ? dim.value_or(kMostDim) : first.shape[k]);
  }
  inference.outputs[0] = {first.type, shape};
  SUSURRUS_RETURN_IF_ERROR(check_size(first.type, shape));
  // An item is an input.
  inference.work = {inference.inputs.size(), *shape.element_count()};
  return ok_status();
}

Status run_concat(const Call& call, size_t begin, size_t end) {
  return copy_pieces(call, call.inputs, call.outputs[0], true, begin, end);
}

/// Without sizes: parts of equal size, the last one smaller.
Status infer_split(Inference& inference) {
  const Operand& x = inference.inputs[0];
  SUSURRUS_ASSIGN_OR_RETURN(const uint32_t axis,
                            axis_of(inference.attributes.integer(0), x.shape.rank(), "axis"));
  const auto sizes = inference.attributes.integers(1);
  const size_t count = inference.outputs.size();
  const uint64_t dim = x.shape[axis];
  const uint64_t equal = (dim + count - 1) / count;
  if (!sizes.empty() && sizes.size() != count)
    return wrong_attribute("sizes", "one for each output");
  uint64_t left = dim;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t own = sizes.empty() ? std::min(equal, left) : static_cast<uint64_t>(sizes[i]);
    if (own > left) return wrong_attribute("sizes", "sizes whose sum is the dimension");
    left -= own;
    Shape shape;
    for (uint32_t k = 0; k < x.shape.rank(); ++k) shape.append(k == axis ? own : x.shape[k]);
    inference.outputs[i] = {x.type, shape};
  }
  if (left > 0) return wrong_attribute("sizes", "sizes whose sum is the dimension");
  // An item is an output.
  inference.work = {count, *x.shape.element_count()};
  return ok_status();
}

Status run_split(const Call& call, size_t begin, size_t end) {
  return copy_pieces(call, call.outputs, call.inputs[0], false, begin, end);
}

constexpr AttributeSpec kAxisAttributes[] = {{"axis", AttributeKind::integer}};
constexpr AttributeSpec kSplitAttributes[] = {{"axis", AttributeKind::integer},
                                              {"sizes", AttributeKind::integers}};

constexpr Operator kOperators[] = {
    {.name = "concat",
     .most_inputs = kAnyNumber,
     .attributes = kAxisAttributes,
     .infer = infer_concat,
     .run = run_concat},
    {.name = "split",
     .most_outputs = kAnyNumber,
     .attributes = kSplitAttributes,
     .infer = infer_split,
     .run = run_split},
};

}  // namespace

std::span<const Operator> piece_operators() { return kOperators; }

}  // namespace susurrus
