// Operators that move elements and calculate nothing. Elements are copied as bytes, whatever their type.
#include <cstring>
#include <limits>
#include <optional>

#include "graph/ops/elements.h"
#include "graph/ops/lists.h"

namespace susurrus {
namespace {

/// A dimension that no tensor has: its size is refused.
constexpr uint64_t kMostDim = ~uint64_t{0};

Work copying_work(const Inference::Output& output) {
  return elementwise_work(static_cast<size_t>(*output.shape.element_count()));
}

/// The elements of an input that has to be known before the graph runs, as the shape that somebody wants has to.
Result<std::vector<int64_t>> known_integers(const Inference& inference, size_t input) {
  const Operand& operand = inference.inputs[input];
  if (operand.type != ElementType::i64 && operand.type != ElementType::i32) {
    return wrong_input(input, "integers", element_type_name(operand.type));
  }
  const auto count = static_cast<size_t>(*operand.shape.element_count());
  if (operand.constant == nullptr && count > 0) {
    return wrong_input(input, "numbers that follow from constants and shapes");
  }
  std::vector<int64_t> values(count);
  for (size_t i = 0; i < count; ++i) {
    values[i] = operand.type == ElementType::i64 ? operand.values<int64_t>()[i]
                                                 : operand.values<int32_t>()[i];
  }
  return values;
}

// Views.

Status run_view(const Call& call, size_t, size_t) {
  const Tensor& y = call.outputs[0];
  if (y.data != call.inputs[0].data && y.byte_count() > 0) {
    std::memcpy(y.data, call.inputs[0].data, y.byte_count());
  }
  return ok_status();
}

Status infer_identity(Inference& inference) {
  inference.outputs[0] = {inference.inputs[0].type, inference.inputs[0].shape};
  return ok_status();
}

/// 0 copies the dimension, unless zeros are allowed; one -1 is what is left.
Status infer_reshape(Inference& inference) {
  const Operand& x = inference.inputs[0];
  SUSURRUS_ASSIGN_OR_RETURN(const std::vector<int64_t> wanted, known_integers(inference, 1));
  if (wanted.size() > limits::kMaxDims) return wrong_input(1, "at most 8 dimensions");
  const bool allows_zero = inference.attributes.flag(0);
  const uint64_t total = *x.shape.element_count();
  Shape shape;
  std::optional<uint32_t> open;
  std::optional<uint64_t> known = 1;
  for (uint32_t i = 0; i < wanted.size(); ++i) {
    int64_t dim = wanted[i];
    if (dim == 0 && !allows_zero) {
      if (i >= x.shape.rank()) return wrong_input(1, "0 only for a dimension that the input has");
      dim = static_cast<int64_t>(x.shape[i]);
    }
    if (dim < -1 || (dim == -1 && open)) return wrong_input(1, "sizes, and -1 once");
    if (dim == -1) {
      open = i;
      dim = 1;
    } else if (known) {
      known = checked_multiply(*known, static_cast<uint64_t>(dim));
    }
    shape.append(static_cast<uint64_t>(dim));
  }
  if (!known || (open && (*known == 0 || total % *known != 0)) || (!open && *known != total)) {
    return wrong_input(1, "a shape of as many elements", shape_text(x.shape).view());
  }
  if (open) {
    Shape whole;
    for (uint32_t i = 0; i < shape.rank(); ++i) {
      whole.append(i == *open ? total / *known : shape[i]);
    }
    shape = whole;
  }
  inference.outputs[0] = {x.type, shape};
  return ok_status();
}

/// Every axis, from the end where negative, once. Kernels ask it too, and may not allocate.
Result<std::array<bool, limits::kMaxDims>> marked_axes(std::span<const int64_t> axes, size_t rank) {
  std::array<bool, limits::kMaxDims> is_marked{};
  for (int64_t axis : axes) {
    SUSURRUS_ASSIGN_OR_RETURN(const uint32_t at, axis_of(axis, rank, "axes"));
    if (is_marked[at]) return wrong_attribute("axes", "each axis once");
    is_marked[at] = true;
  }
  return is_marked;
}

/// Without axes all dimensions of 1 go.
Status infer_squeeze(Inference& inference) {
  const Operand& x = inference.inputs[0];
  const auto axes = inference.attributes.integers(0);
  SUSURRUS_ASSIGN_OR_RETURN(const auto is_gone, marked_axes(axes, x.shape.rank()));
  Shape shape;
  for (uint32_t i = 0; i < x.shape.rank(); ++i) {
    if (is_gone[i] && x.shape[i] != 1) return wrong_attribute("axes", "axes of size 1");
    if (!is_gone[i] && !(axes.empty() && x.shape[i] == 1)) shape.append(x.shape[i]);
  }
  inference.outputs[0] = {x.type, shape};
  return ok_status();
}

/// Axes are those of the output.
Status infer_unsqueeze(Inference& inference) {
  const Operand& x = inference.inputs[0];
  const auto axes = inference.attributes.integers(0);
  const size_t rank = x.shape.rank() + axes.size();
  if (rank > limits::kMaxDims) return wrong_attribute("axes", "at most 8 dimensions in all");
  SUSURRUS_ASSIGN_OR_RETURN(const auto is_new, marked_axes(axes, rank));
  Shape shape;
  uint32_t from = 0;
  for (size_t i = 0; i < rank; ++i) shape.append(is_new[i] ? 1 : x.shape[from++]);
  inference.outputs[0] = {x.type, shape};
  return ok_status();
}

/// [product of the dimensions before the axis, product of the rest]; the axis may be behind the last dimension.
Status infer_flatten(Inference& inference) {
  const Operand& x = inference.inputs[0];
  const int64_t rank = x.shape.rank();
  int64_t axis = inference.attributes.integer(0);
  if (axis < 0) axis += rank;
  if (axis < 0 || axis > rank) return wrong_attribute("axis", "an axis of the input, or its rank");
  uint64_t rows = 1;
  uint64_t columns = 1;
  for (uint32_t i = 0; i < x.shape.rank(); ++i) (i < axis ? rows : columns) *= x.shape[i];
  inference.outputs[0] = {x.type, {rows, columns}};
  return ok_status();
}

// Copies by strides: element i of the output is element base + sum of index × step of the input.

struct Route {
  Shape shape;
  std::array<int64_t, limits::kMaxDims> steps{};
  int64_t base = 0;
};

void copy_by(const Route& route, const Tensor& x, const Tensor& y, ElementRange range) {
  const size_t size = element_byte_count(y.type);
  const uint32_t rank = route.shape.rank();
  const auto* from = static_cast<const uint8_t*>(x.data);
  auto* to = static_cast<uint8_t*>(y.data);
  const int64_t step = rank == 0 ? 0 : route.steps[rank - 1];
  for_each_row<1>(
      route.shape, {}, range.begin, range.end,
      [&](size_t at, size_t count, const std::array<size_t, 1>&) {
        int64_t place = route.base;
        size_t rest = at;
        for (uint32_t i = rank; i-- > 0;) {
          const auto dim = static_cast<size_t>(route.shape[i]);
          place += static_cast<int64_t>(rest % dim) * route.steps[i];
          rest /= dim;
        }
        if (step == 1) {
          std::memcpy(to + size * at, from + size * static_cast<size_t>(place), size * count);
          return;
        }
        for (size_t i = 0; i < count; ++i, place += step) {
          std::memcpy(to + size * (at + i), from + size * static_cast<size_t>(place), size);
        }
      });
}

/// Without `perm` the dimensions are turned round.
Result<std::array<uint32_t, limits::kMaxDims>> permutation(const Attributes& attributes,
                                                           uint32_t rank) {
  const auto perm = attributes.integers(0);
  std::array<uint32_t, limits::kMaxDims> order{};
  for (uint32_t i = 0; i < rank; ++i) order[i] = rank - 1 - i;
  if (perm.empty()) return order;
  if (perm.size() != rank) return wrong_attribute("perm", "each axis of the input");
  SUSURRUS_RETURN_IF_ERROR(marked_axes(perm, rank));
  for (uint32_t i = 0; i < rank; ++i) {
    SUSURRUS_ASSIGN_OR_RETURN(order[i], axis_of(perm[i], rank, "perm"));
  }
  return order;
}

Status infer_transpose(Inference& inference) {
  const Operand& x = inference.inputs[0];
  SUSURRUS_ASSIGN_OR_RETURN(const auto order, permutation(inference.attributes, x.shape.rank()));
  Shape shape;
  for (uint32_t i = 0; i < x.shape.rank(); ++i) shape.append(x.shape[order[i]]);
  inference.outputs[0] = {x.type, shape};
  inference.work = copying_work(inference.outputs[0]);
  return ok_status();
}

Status run_transpose(const Call& call, size_t begin, size_t end) {
  const Tensor& x = call.inputs[0];
  const Tensor& y = call.outputs[0];
  SUSURRUS_ASSIGN_OR_RETURN(const auto order, permutation(call.attributes, x.shape.rank()));
  const Strides strides = Strides::of(x.shape);
  Route route{y.shape, {}, 0};
  for (uint32_t i = 0; i < x.shape.rank(); ++i) {
    route.steps[i] = static_cast<int64_t>(strides.steps[order[i]]);
  }
  copy_by(route, x, y, elements_of(y.count(), begin, end));
  return ok_status();
}

Status infer_expand(Inference& inference) {
  const Operand& x = inference.inputs[0];
  SUSURRUS_ASSIGN_OR_RETURN(const std::vector<int64_t> wanted, known_integers(inference, 1));
  if (wanted.size() > limits::kMaxDims) return wrong_input(1, "at most 8 dimensions");
  Operand target;
  for (int64_t dim : wanted) {
    if (dim < 0) return wrong_input(1, "sizes");
    target.shape.append(static_cast<uint64_t>(dim));
  }
  const std::array both = {target, x};
  SUSURRUS_ASSIGN_OR_RETURN(const Shape shape, broadcast_shape(both));
  inference.outputs[0] = {x.type, shape};
  SUSURRUS_RETURN_IF_ERROR(check_size(x.type, shape));
  inference.work = copying_work(inference.outputs[0]);
  return ok_status();
}

Status run_expand(const Call& call, size_t begin, size_t end) {
  const Tensor& y = call.outputs[0];
  const Strides strides = Strides::broadcast(call.inputs[0].shape, y.shape);
  Route route{y.shape, {}, 0};
  for (uint32_t i = 0; i < y.shape.rank(); ++i) {
    route.steps[i] = static_cast<int64_t>(strides.steps[i]);
  }
  copy_by(route, call.inputs[0], y, elements_of(y.count(), begin, end));
  return ok_status();
}

/// A short list of integers that has to be known: starts, ends, axes or steps.
struct ShortList {
  std::array<int64_t, limits::kMaxDims> values{};
  size_t count = 0;
};

Result<ShortList> short_list(size_t input, ElementType type, const void* data, uint64_t count) {
  if ((type != ElementType::i64 && type != ElementType::i32) || count > limits::kMaxDims) {
    return wrong_input(input, "at most 8 integers");
  }
  if (data == nullptr && count > 0) {
    return wrong_input(input, "numbers that follow from constants and shapes");
  }
  ShortList list;
  list.count = static_cast<size_t>(count);
  for (size_t i = 0; i < list.count; ++i) {
    list.values[i] = type == ElementType::i64 ? static_cast<const int64_t*>(data)[i]
                                              : static_cast<const int32_t*>(data)[i];
  }
  return list;
}

/// starts, ends, axes, steps; the last two may be empty.
using SliceLists = std::array<ShortList, 4>;

/// ONNX's: ends beyond a dimension mean its end.
Result<Route> slice_route(const Shape& x, const SliceLists& lists) {
  const auto& [starts, ends, axes, steps] = lists;
  if (ends.count != starts.count) return wrong_input(2, "as many ends as starts");
  if (axes.count != 0 && axes.count != starts.count)
    return wrong_input(3, "as many axes as starts");
  if (steps.count != 0 && steps.count != starts.count) {
    return wrong_input(4, "as many steps as starts");
  }
  if (starts.count > x.rank()) return wrong_input(1, "a start for each dimension at most");
  const Strides strides = Strides::of(x);
  Route route;
  std::array<uint64_t, limits::kMaxDims> dims{};
  for (uint32_t i = 0; i < x.rank(); ++i) {
    dims[i] = x[i];
    route.steps[i] = static_cast<int64_t>(strides.steps[i]);
  }
  std::array<bool, limits::kMaxDims> is_cut{};
  for (size_t k = 0; k < starts.count; ++k) {
    const int64_t wanted = axes.count == 0 ? static_cast<int64_t>(k) : axes.values[k];
    SUSURRUS_ASSIGN_OR_RETURN(const uint32_t axis, axis_of(wanted, x.rank(), "axes"));
    if (is_cut[axis]) return wrong_input(3, "each axis once");
    is_cut[axis] = true;
    const int64_t step = steps.count == 0 ? 1 : steps.values[k];
    if (step == 0 || step == std::numeric_limits<int64_t>::min()) {
      return wrong_input(4, "steps other than 0");
    }
    const auto dim = static_cast<int64_t>(x[axis]);
    const auto clamped = [&](int64_t index, int64_t least, int64_t most) {
      if (index < 0) index += dim;
      return std::clamp(index, least, most);
    };
    const bool is_forward = step > 0;
    const int64_t last = std::max<int64_t>(0, dim - 1);
    const int64_t start = clamped(starts.values[k], 0, is_forward ? dim : last);
    // Backwards, an end before the first element: -dim - 1 and less.
    const int64_t end =
        is_forward ? clamped(ends.values[k], 0, dim) : clamped(ends.values[k], -1, last);
    const int64_t span = dim == 0 ? 0 : (is_forward ? end - start : start - end);
    const int64_t stride = is_forward ? step : -step;
    dims[axis] = span <= 0 ? 0 : static_cast<uint64_t>((span - 1) / stride + 1);
    route.base += dims[axis] == 0 ? 0 : start * static_cast<int64_t>(strides.steps[axis]);
    route.steps[axis] *= dims[axis] > 1 ? step : 1;
  }
  for (uint32_t i = 0; i < x.rank(); ++i) route.shape.append(dims[i]);
  return route;
}

Status infer_slice(Inference& inference) {
  const Operand& x = inference.inputs[0];
  SliceLists lists;
  for (size_t i = 1; i < inference.inputs.size(); ++i) {
    const Operand& list = inference.inputs[i];
    if (!list.is_present) continue;
    SUSURRUS_ASSIGN_OR_RETURN(lists[i - 1],
                              short_list(i, list.type, list.constant, *list.shape.element_count()));
  }
  SUSURRUS_ASSIGN_OR_RETURN(const Route route, slice_route(x.shape, lists));
  inference.outputs[0] = {x.type, route.shape};
  inference.work = copying_work(inference.outputs[0]);
  return ok_status();
}

Status run_slice(const Call& call, size_t begin, size_t end) {
  SliceLists lists;
  for (size_t i = 1; i < call.inputs.size(); ++i) {
    if (!call.has(i)) continue;
    const Tensor& list = call.inputs[i];
    SUSURRUS_ASSIGN_OR_RETURN(lists[i - 1], short_list(i, list.type, list.data, list.count()));
  }
  SUSURRUS_ASSIGN_OR_RETURN(const Route route, slice_route(call.inputs[0].shape, lists));
  copy_by(route, call.inputs[0], call.outputs[0], elements_of(call.outputs[0].count(), begin, end));
  return ok_status();
}

// Pieces along an axis: each is `outer` blocks of its own length.

struct Blocks {
  size_t outer = 1;
  size_t inner = 1;  // elements of one index of the axis
};

Blocks blocks_around(const Shape& shape, uint32_t axis) {
  Blocks blocks;
  for (uint32_t i = 0; i < axis; ++i) blocks.outer *= static_cast<size_t>(shape[i]);
  for (uint32_t i = axis + 1; i < shape.rank(); ++i) blocks.inner *= static_cast<size_t>(shape[i]);
  return blocks;
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
  const Tensor& y = call.outputs[0];
  SUSURRUS_ASSIGN_OR_RETURN(const uint32_t axis,
                            axis_of(call.attributes.integer(0), y.shape.rank(), "axis"));
  const Blocks blocks = blocks_around(y.shape, axis);
  const size_t size = element_byte_count(y.type) * blocks.inner;
  const size_t row = size * static_cast<size_t>(y.shape[axis]);
  size_t before = 0;
  for (size_t i = 0; i < end; ++i) {
    const Tensor& x = call.inputs[i];
    const size_t length = size * static_cast<size_t>(x.shape[axis]);
    for (size_t k = 0; i >= begin && length > 0 && k < blocks.outer; ++k) {
      std::memcpy(static_cast<uint8_t*>(y.data) + k * row + before,
                  static_cast<const uint8_t*>(x.data) + k * length, length);
    }
    before += length;
  }
  return ok_status();
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
  const Tensor& x = call.inputs[0];
  SUSURRUS_ASSIGN_OR_RETURN(const uint32_t axis,
                            axis_of(call.attributes.integer(0), x.shape.rank(), "axis"));
  const Blocks blocks = blocks_around(x.shape, axis);
  const size_t size = element_byte_count(x.type) * blocks.inner;
  const size_t row = size * static_cast<size_t>(x.shape[axis]);
  size_t before = 0;
  for (size_t i = 0; i < end; ++i) {
    const Tensor& y = call.outputs[i];
    const size_t length = size * static_cast<size_t>(y.shape[axis]);
    for (size_t k = 0; i >= begin && length > 0 && k < blocks.outer; ++k) {
      std::memcpy(static_cast<uint8_t*>(y.data) + k * length,
                  static_cast<const uint8_t*>(x.data) + k * row + before, length);
    }
    before += length;
  }
  return ok_status();
}

/// Rows of `x` along an axis by their indices, from the end where negative.
Status infer_gather(Inference& inference) {
  const Operand& x = inference.inputs[0];
  const Operand& indices = inference.inputs[1];
  if (indices.type != ElementType::i64 && indices.type != ElementType::i32) {
    return wrong_input(1, "integers", element_type_name(indices.type));
  }
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
  const Blocks blocks = blocks_around(x.shape, axis);
  const size_t size = element_byte_count(x.type) * blocks.inner;
  const auto dim = static_cast<int64_t>(x.shape[axis]);
  const size_t count = indices.count();
  for (size_t i = begin; i < std::min(end, count); ++i) {
    int64_t index =
        indices.type == ElementType::i64 ? indices.as<int64_t>()[i] : indices.as<int32_t>()[i];
    if (index < 0) index += dim;
    if (index < 0 || index >= dim) return wrong_input(1, "indices within the input");
    for (size_t k = 0; size > 0 && k < blocks.outer; ++k) {
      std::memcpy(static_cast<uint8_t*>(y.data) + (k * count + i) * size,
                  static_cast<const uint8_t*>(x.data) +
                      (k * static_cast<size_t>(dim) + static_cast<size_t>(index)) * size,
                  size);
    }
  }
  return ok_status();
}

// What shapes are made of.

Status infer_shape(Inference& inference) {
  inference.outputs[0] = {ElementType::i64, {inference.inputs[0].shape.rank()}};
  return ok_status();
}

Status run_shape(const Call& call, size_t, size_t) {
  const auto y = call.outputs[0].as<int64_t>();
  for (uint32_t i = 0; i < y.size(); ++i) y[i] = static_cast<int64_t>(call.inputs[0].shape[i]);
  return ok_status();
}

/// A tensor of one element, repeated.
Status infer_constant_of_shape(Inference& inference) {
  SUSURRUS_ASSIGN_OR_RETURN(const std::vector<int64_t> wanted, known_integers(inference, 1));
  if (wanted.size() > limits::kMaxDims) return wrong_input(1, "at most 8 dimensions");
  if (inference.inputs[0].shape.element_count() != 1) return wrong_input(0, "one element");
  Shape shape;
  for (int64_t dim : wanted) {
    if (dim < 0) return wrong_input(1, "sizes");
    shape.append(static_cast<uint64_t>(dim));
  }
  inference.outputs[0] = {inference.inputs[0].type, shape};
  SUSURRUS_RETURN_IF_ERROR(check_size(inference.inputs[0].type, shape));
  inference.work = copying_work(inference.outputs[0]);
  return ok_status();
}

Status run_constant_of_shape(const Call& call, size_t begin, size_t end) {
  const Route route{call.outputs[0].shape, {}, 0};
  copy_by(route, call.inputs[0], call.outputs[0], elements_of(call.outputs[0].count(), begin, end));
  return ok_status();
}

constexpr AttributeSpec kReshapeAttributes[] = {{"allow_zero", AttributeKind::integer}};
constexpr AttributeSpec kAxesAttributes[] = {{"axes", AttributeKind::integers}};
constexpr AttributeSpec kPermAttributes[] = {{"perm", AttributeKind::integers}};
constexpr AttributeSpec kAxisAttributes[] = {{"axis", AttributeKind::integer}};
constexpr AttributeSpec kFlattenAttributes[] = {{"axis", AttributeKind::integer, false, 1}};
constexpr AttributeSpec kSplitAttributes[] = {{"axis", AttributeKind::integer},
                                              {"sizes", AttributeKind::integers}};

constexpr Operator view(std::string_view name, uint8_t inputs, decltype(Operator::infer) infer,
                        std::span<const AttributeSpec> attributes = {}) {
  return {.name = name,
          .least_inputs = inputs,
          .most_inputs = inputs,
          .sharing = Sharing::view,
          .attributes = attributes,
          .infer = infer,
          .run = run_view};
}

constexpr Operator kOperators[] = {
    view("identity", 1, infer_identity),
    view("reshape", 2, infer_reshape, kReshapeAttributes),
    view("squeeze", 1, infer_squeeze, kAxesAttributes),
    view("unsqueeze", 1, infer_unsqueeze, kAxesAttributes),
    view("flatten", 1, infer_flatten, kFlattenAttributes),
    {.name = "transpose",
     .attributes = kPermAttributes,
     .infer = infer_transpose,
     .run = run_transpose},
    {.name = "expand",
     .least_inputs = 2,
     .most_inputs = 2,
     .infer = infer_expand,
     .run = run_expand},
    {.name = "slice", .least_inputs = 3, .most_inputs = 5, .infer = infer_slice, .run = run_slice},
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
    {.name = "gather",
     .least_inputs = 2,
     .most_inputs = 2,
     .attributes = kAxisAttributes,
     .infer = infer_gather,
     .run = run_gather},
    {.name = "shape", .reads_shapes_alone = true, .infer = infer_shape, .run = run_shape},
    {.name = "constant_of_shape",
     .least_inputs = 2,
     .most_inputs = 2,
     .infer = infer_constant_of_shape,
     .run = run_constant_of_shape},
};

}  // namespace

std::span<const Operator> shaping_operators() { return kOperators; }

}  // namespace susurrus
