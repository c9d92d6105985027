// Elements found or placed by indices. Indices from the end are negative.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "graph/ops/elements.h"
#include "graph/ops/lists.h"
#include "graph/ops/wide_elements.h"

namespace susurrus {
namespace {

Status check_indices(const Inference& inference, size_t input) {
  const ElementType type = inference.inputs[input].type;
  if (type == ElementType::i64 || type == ElementType::i32) return ok_status();
  return wrong_input(input, "indices as i64 or i32", element_type_name(type));
}

int64_t index_at(const Tensor& indices, size_t i) {
  return indices.type == ElementType::i64 ? static_cast<const int64_t*>(indices.data)[i]
                                          : static_cast<const int32_t*>(indices.data)[i];
}

/// The index of a dimension, or -1.
int64_t within(int64_t index, uint64_t dim) {
  const auto size = static_cast<int64_t>(dim);
  if (index < 0) index += size;
  return index >= 0 && index < size ? index : -1;
}

/// Whether it is known before the graph runs that an index is out of range; the run finds the others.
Status check_known(const Operand& indices, uint64_t dim, size_t input) {
  if (indices.constant == nullptr) return ok_status();
  const Tensor tensor{indices.type, indices.shape, const_cast<void*>(indices.constant)};
  for (size_t i = 0; i < tensor.count(); ++i) {
    if (within(index_at(tensor, i), dim) < 0) return wrong_input(input, "indices within the input");
  }
  return ok_status();
}

/// Rows of `x` along an axis by their indices, from the end where negative.
Status infer_gather(Inference& inference) {
  const Operand& x = inference.inputs[0];
  const Operand& indices = inference.inputs[1];
  SUSURRUS_RETURN_IF_ERROR(check_indices(inference, 1));
  SUSURRUS_ASSIGN_OR_RETURN(const uint32_t axis,
                            axis_of(inference.attributes.integer(0), x.shape.rank(), "axis"));
  if (x.shape.rank() - 1 + indices.shape.rank() > limits::kMaxDims) {
    return wrong_input(1, "at most 8 dimensions in all");
  }
  Shape shape;
  for (uint32_t i = 0; i < axis; ++i) shape.append(x.shape[i]);
  for (uint64_t dim : indices.shape.dims()) shape.append(dim);
  for (uint32_t i = axis + 1; i < x.shape.rank(); ++i) shape.append(x.shape[i]);
  inference.outputs[0] = {x.type, shape};
  SUSURRUS_RETURN_IF_ERROR(check_size(x.type, shape));
  // An item is an index.
  inference.work = {std::max<size_t>(1, static_cast<size_t>(*indices.shape.element_count())),
                    *shape.element_count()};
  return ok_status();
}

Status run_gather(const Call& call, size_t begin, size_t end) {
  const Tensor& x = call.inputs[0];
  const Tensor& indices = call.inputs[1];
  const Tensor& y = call.outputs[0];
  SUSURRUS_ASSIGN_OR_RETURN(const uint32_t axis,
                            axis_of(call.attributes.integer(0), x.shape.rank(), "axis"));
  const AxisLayout blocks = AxisLayout::of(x.shape, axis);
  const size_t size = element_byte_count(x.type) * blocks.inner;
  const auto dim = static_cast<size_t>(x.shape[axis]);
  const size_t count = indices.count();
  end = std::min(end, count);
  for (size_t i = begin; i < end;) {
    const int64_t index = within(index_at(indices, i), dim);
    if (index < 0) return wrong_input(1, "indices within the input");
    // What lies together is copied together.
    size_t some = 1;
    while (i + some < end &&
           within(index_at(indices, i + some), dim) == index + static_cast<int64_t>(some)) {
      ++some;
    }
    for (size_t k = 0; size > 0 && k < blocks.outer; ++k) {
      std::memcpy(
          static_cast<uint8_t*>(y.data) + (k * count + i) * size,
          static_cast<const uint8_t*>(x.data) + (k * dim + static_cast<size_t>(index)) * size,
          some * size);
    }
    i += some;
  }
  return ok_status();
}

// Several coordinates: the last dimension of the indices.

/// Elements that one tuple of coordinates names, and how many tuples there are.
struct Tuples {
  uint32_t depth = 0;
  size_t count = 1;
  size_t block = 1;
};

Result<Tuples> tuples_of(const Shape& x, const Shape& indices) {
  if (indices.rank() == 0 || indices.last() > x.rank()) {
    return wrong_input(1, "coordinates of the first input in the last dimension",
                       shape_text(indices).view());
  }
  Tuples tuples;
  tuples.depth = static_cast<uint32_t>(indices.last());
  for (uint32_t i = 0; i + 1 < indices.rank(); ++i) tuples.count *= static_cast<size_t>(indices[i]);
  for (uint32_t i = tuples.depth; i < x.rank(); ++i) tuples.block *= static_cast<size_t>(x[i]);
  return tuples;
}

/// The place of the block that tuple `i` names.
Result<size_t> place_of(const Shape& x, const Tensor& indices, const Tuples& tuples, size_t i) {
  size_t place = 0;
  for (uint32_t k = 0; k < tuples.depth; ++k) {
    const int64_t index = within(index_at(indices, i * tuples.depth + k), x[k]);
    if (index < 0) return wrong_input(1, "indices within the input");
    place = place * static_cast<size_t>(x[k]) + static_cast<size_t>(index);
  }
  return place * tuples.block;
}

/// The dimensions of the indices but the last, then those of the input that have no coordinate.
Result<Shape> gathered_shape(const Shape& x, const Shape& indices, uint32_t depth) {
  if (indices.rank() - 1 + x.rank() - depth > limits::kMaxDims) {
    return wrong_input(1, "at most 8 dimensions in all");
  }
  Shape shape;
  for (uint32_t i = 0; i + 1 < indices.rank(); ++i) shape.append(indices[i]);
  for (uint32_t i = depth; i < x.rank(); ++i) shape.append(x[i]);
  return shape;
}

Status infer_gather_nd(Inference& inference) {
  const Operand& x = inference.inputs[0];
  SUSURRUS_RETURN_IF_ERROR(check_indices(inference, 1));
  const Shape& indices = inference.inputs[1].shape;
  SUSURRUS_ASSIGN_OR_RETURN(const Tuples tuples, tuples_of(x.shape, indices));
  SUSURRUS_ASSIGN_OR_RETURN(const Shape shape, gathered_shape(x.shape, indices, tuples.depth));
  inference.outputs[0] = {x.type, shape};
  SUSURRUS_RETURN_IF_ERROR(check_size(x.type, shape));
  inference.work = {std::max<size_t>(1, tuples.count), *shape.element_count()};
  return ok_status();
}

Status run_gather_nd(const Call& call, size_t begin, size_t end) {
  const Tensor& x = call.inputs[0];
  SUSURRUS_ASSIGN_OR_RETURN(const Tuples tuples, tuples_of(x.shape, call.inputs[1].shape));
  const size_t size = element_byte_count(x.type);
  for (size_t i = begin; i < std::min(end, tuples.count); ++i) {
    SUSURRUS_ASSIGN_OR_RETURN(const size_t place, place_of(x.shape, call.inputs[1], tuples, i));
    if (tuples.block == 0) continue;
    std::memcpy(static_cast<uint8_t*>(call.outputs[0].data) + i * tuples.block * size,
                static_cast<const uint8_t*>(x.data) + place * size, tuples.block * size);
  }
  return ok_status();
}

/// The first input with blocks replaced; of several for one place the last one counts.
Status infer_scatter_nd(Inference& inference) {
  const Operand& x = inference.inputs[0];
  const Operand& updates = inference.inputs[2];
  SUSURRUS_RETURN_IF_ERROR(check_indices(inference, 1));
  const Shape& indices = inference.inputs[1].shape;
  SUSURRUS_ASSIGN_OR_RETURN(const Tuples tuples, tuples_of(x.shape, indices));
  SUSURRUS_ASSIGN_OR_RETURN(const Shape shape, gathered_shape(x.shape, indices, tuples.depth));
  if (updates.type != x.type || updates.shape != shape) {
    return wrong_input(2, shape_text(shape).view(), shape_text(updates.shape).view());
  }
  inference.outputs[0] = {x.type, x.shape};
  inference.work = {1, *x.shape.element_count() + *updates.shape.element_count()};
  return ok_status();
}

Status run_scatter_nd(const Call& call, size_t, size_t) {
  const Tensor& x = call.inputs[0];
  const Tensor& y = call.outputs[0];
  SUSURRUS_ASSIGN_OR_RETURN(const Tuples tuples, tuples_of(x.shape, call.inputs[1].shape));
  const size_t size = element_byte_count(x.type);
  if (y.byte_count() > 0) std::memcpy(y.data, x.data, y.byte_count());
  for (size_t i = 0; i < tuples.count; ++i) {
    SUSURRUS_ASSIGN_OR_RETURN(const size_t place, place_of(x.shape, call.inputs[1], tuples, i));
    if (tuples.block == 0) continue;
    std::memcpy(static_cast<uint8_t*>(y.data) + place * size,
                static_cast<const uint8_t*>(call.inputs[2].data) + i * tuples.block * size,
                tuples.block * size);
  }
  return ok_status();
}

/// One element for each index: its place but along the axis.
Status infer_gather_elements(Inference& inference) {
  const Operand& x = inference.inputs[0];
  const Operand& indices = inference.inputs[1];
  SUSURRUS_RETURN_IF_ERROR(check_indices(inference, 1));
  SUSURRUS_ASSIGN_OR_RETURN(const uint32_t axis,
                            axis_of(inference.attributes.integer(0), x.shape.rank(), "axis"));
  bool fits = indices.shape.rank() == x.shape.rank();
  for (uint32_t i = 0; fits && i < x.shape.rank(); ++i) {
    fits = i == axis || indices.shape[i] <= x.shape[i];
  }
  if (!fits) return wrong_input(1, "no more places than the input has");
  SUSURRUS_RETURN_IF_ERROR(check_known(indices, x.shape[axis], 1));
  inference.outputs[0] = {x.type, indices.shape};
  SUSURRUS_RETURN_IF_ERROR(check_size(x.type, indices.shape));
  inference.work = elementwise_work(static_cast<size_t>(*indices.shape.element_count()), 4);
  return ok_status();
}

Status run_gather_elements(const Call& call, size_t begin, size_t end) {
  const Tensor& x = call.inputs[0];
  const Tensor& indices = call.inputs[1];
  SUSURRUS_ASSIGN_OR_RETURN(const uint32_t axis,
                            axis_of(call.attributes.integer(0), x.shape.rank(), "axis"));
  const Strides strides = Strides::of(x.shape);
  const size_t size = element_byte_count(x.type);
  const auto range = elements_of(indices.count(), begin, end);
  for (size_t i = range.begin; i < range.end; ++i) {
    const int64_t index = within(index_at(indices, i), x.shape[axis]);
    if (index < 0) return wrong_input(1, "indices within the input");
    size_t rest = i;
    size_t place = 0;
    for (uint32_t k = x.shape.rank(); k-- > 0;) {
      const auto dim = static_cast<size_t>(indices.shape[k]);
      const size_t own = k == axis ? static_cast<size_t>(index) : rest % dim;
      place += own * static_cast<size_t>(strides.steps[k]);
      rest /= dim;
    }
    std::memcpy(static_cast<uint8_t*>(call.outputs[0].data) + i * size,
                static_cast<const uint8_t*>(x.data) + place * size, size);
  }
  return ok_status();
}

/// The size of the new axis, which has to be known before the graph runs.
Result<uint64_t> one_hot_depth(const Operand& depth) {
  if (depth.shape.element_count() != 1 || depth.type == ElementType::boolean ||
      depth.type == ElementType::f16) {
    return wrong_input(1, "a number");
  }
  if (depth.constant == nullptr) {
    return wrong_input(1, "a number that follows from constants and shapes");
  }
  const double number = number_at(depth.type, depth.constant, 0);
  if (!(number >= 1 && number < 2147483648.0)) return wrong_input(1, "1 to 2^31");
  return static_cast<uint64_t>(number);
}

/// Indices, a depth, and a pair of values: the second one at the index, the first one elsewhere, along a new axis.
Status infer_one_hot(Inference& inference) {
  const Operand& indices = inference.inputs[0];
  const Operand& pair = inference.inputs[2];
  SUSURRUS_RETURN_IF_ERROR(check_indices(inference, 0));
  SUSURRUS_ASSIGN_OR_RETURN(const uint64_t depth, one_hot_depth(inference.inputs[1]));
  if (pair.shape.element_count() != 2) return wrong_input(2, "two values");
  if (indices.shape.rank() == 0) return wrong_input(0, "1 to 7 dimensions");
  const uint32_t rank = indices.shape.rank() + 1;
  if (rank > limits::kMaxDims) return wrong_input(0, "at most 7 dimensions");
  SUSURRUS_ASSIGN_OR_RETURN(const uint32_t axis,
                            axis_of(inference.attributes.integer(0), rank, "axis"));
  Shape shape;
  for (uint32_t i = 0, from = 0; i < rank; ++i) {
    shape.append(i == axis ? depth : indices.shape[from++]);
  }
  inference.outputs[0] = {pair.type, shape};
  SUSURRUS_RETURN_IF_ERROR(check_size(pair.type, shape));
  inference.work = elementwise_work(static_cast<size_t>(*shape.element_count()));
  return ok_status();
}

Status run_one_hot(const Call& call, size_t begin, size_t end) {
  const Tensor& y = call.outputs[0];
  SUSURRUS_ASSIGN_OR_RETURN(const uint32_t axis,
                            axis_of(call.attributes.integer(0), y.shape.rank(), "axis"));
  const AxisLayout lines = AxisLayout::of(y.shape, axis);
  const size_t size = element_byte_count(y.type);
  const auto range = elements_of(y.count(), begin, end);
  for (size_t i = range.begin; i < range.end; ++i) {
    const size_t line = i / (lines.inner * lines.length) * lines.inner + i % lines.inner;
    const auto own = static_cast<int64_t>(i / lines.inner % lines.length);
    const bool is_hot = within(index_at(call.inputs[0], line), y.shape[axis]) == own;
    std::memcpy(static_cast<uint8_t*>(y.data) + i * size,
                static_cast<const uint8_t*>(call.inputs[2].data) + (is_hot ? size : 0), size);
  }
  return ok_status();
}

constexpr AttributeSpec kAxisAttributes[] = {{"axis", AttributeKind::integer}};
constexpr AttributeSpec kOneHotAttributes[] = {{"axis", AttributeKind::integer, false, -1}};

constexpr Operator kOperators[] = {
    {.name = "gather",
     .least_inputs = 2,
     .most_inputs = 2,
     .attributes = kAxisAttributes,
     .infer = infer_gather,
     .run = run_gather},
    {.name = "gather_nd",
     .least_inputs = 2,
     .most_inputs = 2,
     .infer = infer_gather_nd,
     .run = run_gather_nd},
    {.name = "scatter_nd",
     .least_inputs = 3,
     .most_inputs = 3,
     .infer = infer_scatter_nd,
     .run = run_scatter_nd},
    {.name = "gather_elements",
     .least_inputs = 2,
     .most_inputs = 2,
     .attributes = kAxisAttributes,
     .infer = infer_gather_elements,
     .run = run_gather_elements},
    {.name = "one_hot",
     .least_inputs = 3,
     .most_inputs = 3,
     .attributes = kOneHotAttributes,
     .infer = infer_one_hot,
     .run = run_one_hot},
};

}  // namespace

std::span<const Operator> indexing_operators() { return kOperators; }

}  // namespace susurrus
