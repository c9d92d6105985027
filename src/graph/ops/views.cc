// Operators that reshape elements without changing them, and tensors that follow from shapes alone.
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "graph/ops/elements.h"
#include "graph/ops/lists.h"
#include "graph/ops/shape_arguments.h"
#include "graph/ops/wide_elements.h"

namespace susurrus {
namespace {

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

/// Without axes, removes all dimensions of 1.
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

/// [product of the dimensions before the axis, product of the rest]; the axis may be after the last dimension.
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

/// From start by delta as long as limit is not reached; scalars that are known before the graph runs.
Status infer_range(Inference& inference) {
  const ElementType type = inference.inputs[0].type;
  std::array<double, 3> numbers{};
  for (size_t i = 0; i < 3; ++i) {
    const Operand& own = inference.inputs[i];
    if (own.type != type || type == ElementType::boolean || type == ElementType::f16 ||
        own.shape.element_count() != 1) {
      return wrong_input(i, "a number of the type of the first input");
    }
    if (own.constant == nullptr) {
      return wrong_input(i, "a number that follows from constants and shapes");
    }
    numbers[i] = number_at(type, own.constant, 0);
  }
  const double count = std::ceil((numbers[1] - numbers[0]) / numbers[2]);
  if (!(count < 1e12)) return wrong_input(2, "a step that comes to an end");
  inference.outputs[0] = {type, {static_cast<uint64_t>(std::max(count, 0.0))}};
  SUSURRUS_RETURN_IF_ERROR(check_size(type, inference.outputs[0].shape));
  return ok_status();
}

Status run_range(const Call& call, size_t, size_t) {
  const Tensor& y = call.outputs[0];
  const void* start = call.inputs[0].data;
  const void* delta = call.inputs[2].data;
  const size_t count = y.count();
  if (count > 0) std::memcpy(y.data, start, element_byte_count(y.type));
  for (size_t i = 1; i < count; ++i) {
    if (is_float(y.type)) {
      // Rounded in each step, as sums of the type are.
      store_number(y.type, number_at(y.type, y.data, i - 1) + number_at(y.type, delta, 0), y.data,
                   i);
    } else {
      const uint64_t value = integer_at(y.type, y.data, i - 1) + integer_at(y.type, delta, 0);
      narrow(y.type, &value, 1, y.data, i);
    }
  }
  return ok_status();
}

constexpr AttributeSpec kReshapeAttributes[] = {{"allow_zero", AttributeKind::integer}};
constexpr AttributeSpec kAxesAttributes[] = {{"axes", AttributeKind::integers}};
constexpr AttributeSpec kFlattenAttributes[] = {{"axis", AttributeKind::integer, false, 1}};

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
    {.name = "shape", .reads_shapes_alone = true, .infer = infer_shape, .run = run_shape},
    {.name = "range", .least_inputs = 3, .most_inputs = 3, .infer = infer_range, .run = run_range},
};

}  // namespace

std::span<const Operator> view_operators() { return kOperators; }

}  // namespace susurrus
