// Operators that move elements by strides, as bytes of any type.
#include <cstring>
#include <limits>
#include <optional>

#include "graph/ops/elements.h"
#include "graph/ops/lists.h"
#include "graph/ops/shape_arguments.h"

namespace susurrus {
namespace {

Work copying_work(const Inference::Output& output) {
  return elementwise_work(static_cast<size_t>(*output.shape.element_count()));
}

// Copies by strides: element i of the output is element base + sum of index × step of the input.

struct Route {
  Shape shape;
  std::array<int64_t, limits::kMaxDims> steps{};
  int64_t base = 0;

  /// These elements, with as long rows as follow each other in the input.
  Route merged() const {
    Route merged{{}, {}, base};
    for (uint32_t i = 0; i < shape.rank();) {
      uint64_t dim = shape[i];
      while (i + 1 < shape.rank() &&
             steps[i] == steps[i + 1] * static_cast<int64_t>(shape[i + 1])) {
        dim *= shape[++i];
      }
      merged.steps[merged.shape.rank()] = steps[i++];
      merged.shape.append(dim);
    }
    return merged;
  }
};

void copy_by(const Route& given, const Tensor& x, const Tensor& y, ElementRange range) {
  const Route route = given.merged();
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

/// Without `perm`, the dimensions are reversed.
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

Status infer_tile(Inference& inference) {
  const Operand& x = inference.inputs[0];
  const auto repeats = inference.attributes.integers(0);
  if (repeats.size() != x.shape.rank()) return wrong_attribute("repeats", "one for each dimension");
  Shape shape;
  for (uint32_t i = 0; i < x.shape.rank(); ++i) {
    if (repeats[i] < 0) return wrong_attribute("repeats", "numbers that are not negative");
    const auto dim = checked_multiply(x.shape[i], static_cast<uint64_t>(repeats[i]));
    shape.append(dim.value_or(~uint64_t{0}));
  }
  inference.outputs[0] = {x.type, shape};
  SUSURRUS_RETURN_IF_ERROR(check_size(x.type, shape));
  inference.work = elementwise_work(static_cast<size_t>(*shape.element_count()));
  return ok_status();
}

Status run_tile(const Call& call, size_t begin, size_t end) {
  const Tensor& x = call.inputs[0];
  const Tensor& y = call.outputs[0];
  const Strides strides = Strides::of(x.shape);
  const size_t size = element_byte_count(y.type);
  const auto range = elements_of(y.count(), begin, end);
  for (size_t i = range.begin; i < range.end; ++i) {
    size_t rest = i;
    size_t place = 0;
    for (uint32_t k = y.shape.rank(); k-- > 0;) {
      const auto dim = static_cast<size_t>(y.shape[k]);
      place += rest % dim % static_cast<size_t>(x.shape[k]) * static_cast<size_t>(strides.steps[k]);
      rest /= dim;
    }
    std::memcpy(static_cast<uint8_t*>(y.data) + i * size,
                static_cast<const uint8_t*>(x.data) + place * size, size);
  }
  return ok_status();
}

constexpr AttributeSpec kPermAttributes[] = {{"perm", AttributeKind::integers}};
constexpr AttributeSpec kTileAttributes[] = {{"repeats", AttributeKind::integers}};

constexpr Operator kOperators[] = {
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
    {.name = "constant_of_shape",
     .least_inputs = 2,
     .most_inputs = 2,
     .infer = infer_constant_of_shape,
     .run = run_constant_of_shape},
    {.name = "tile", .attributes = kTileAttributes, .infer = infer_tile, .run = run_tile},
};

}  // namespace

std::span<const Operator> copying_operators() { return kOperators; }

}  // namespace susurrus
