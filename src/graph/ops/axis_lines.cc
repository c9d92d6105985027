// Along one axis: the greatest or least elements in order, and sums of all before.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "graph/ops/elements.h"
#include "graph/ops/lists.h"
#include "graph/ops/wide_elements.h"

namespace susurrus {
namespace {

enum TopAttribute : size_t { kTopAxis, kLargest, kCount };

/// The greatest or least elements of each line, in order, and their indices as i64. Of equal ones the first comes first.
Status infer_top(Inference& inference) {
  const Operand& x = inference.inputs[0];
  SUSURRUS_ASSIGN_OR_RETURN(
      const uint32_t axis, axis_of(inference.attributes.integer(kTopAxis), x.shape.rank(), "axis"));
  const int64_t count = inference.attributes.integer(kCount);
  if (count < 0 || static_cast<uint64_t>(count) > x.shape[axis]) {
    return wrong_attribute("count", "at most the size of the axis");
  }
  Shape shape;
  for (uint32_t i = 0; i < x.shape.rank(); ++i) {
    shape.append(i == axis ? static_cast<uint64_t>(count) : x.shape[i]);
  }
  inference.outputs[0] = {x.type, shape};
  inference.outputs[1] = {ElementType::i64, shape};
  SUSURRUS_RETURN_IF_ERROR(check_size(ElementType::i64, shape));
  inference.work = {AxisLayout::of(x.shape, axis).line_count(), 10 * *x.shape.element_count()};
  inference.work.scratch_byte_count = static_cast<size_t>(x.shape[axis]) * sizeof(size_t);
  return ok_status();
}

Status run_top(const Call& call, size_t begin, size_t end) {
  const Tensor& x = call.inputs[0];
  SUSURRUS_ASSIGN_OR_RETURN(const uint32_t axis,
                            axis_of(call.attributes.integer(kTopAxis), x.shape.rank(), "axis"));
  const bool wants_largest = call.attributes.flag(kLargest);
  const auto count = static_cast<size_t>(call.attributes.integer(kCount));
  const AxisLayout lines = AxisLayout::of(x.shape, axis);
  auto* order = reinterpret_cast<size_t*>(call.scratch.data());
  const size_t size = element_byte_count(x.type);
  for (size_t line = begin; line < end; ++line) {
    const auto* from =
        static_cast<const uint8_t*>(x.data) + lines.line_begin(line, lines.length) * size;
    std::iota(order, order + lines.length, size_t{0});
    std::partial_sort(order, order + count, order + lines.length, [&](size_t a, size_t b) {
      const uint64_t first = order_of(x.type, from, a * lines.inner);
      const uint64_t second = order_of(x.type, from, b * lines.inner);
      return first == second ? a < b : wants_largest == (first > second);
    });
    const size_t place = lines.line_begin(line, count);
    for (size_t i = 0; i < count; ++i) {
      const size_t at = place + i * lines.inner;
      std::memcpy(static_cast<uint8_t*>(call.outputs[0].data) + at * size,
                  from + order[i] * lines.inner * size, size);
      call.outputs[1].as<int64_t>()[at] = static_cast<int64_t>(order[i]);
    }
  }
  return ok_status();
}

enum SumAttribute : size_t { kSumAxis, kExclusive, kReverse };

/// Sums of all elements before, with or without the own one.
Status infer_running_sum(Inference& inference) {
  const Operand& x = inference.inputs[0];
  if (x.type == ElementType::boolean) return wrong_input(0, "numbers", "bool");
  SUSURRUS_ASSIGN_OR_RETURN(
      const uint32_t axis, axis_of(inference.attributes.integer(kSumAxis), x.shape.rank(), "axis"));
  inference.outputs[0] = {x.type, x.shape};
  inference.work = {AxisLayout::of(x.shape, axis).line_count(), *x.shape.element_count()};
  return ok_status();
}

Status run_running_sum(const Call& call, size_t begin, size_t end) {
  const Tensor& x = call.inputs[0];
  SUSURRUS_ASSIGN_OR_RETURN(const uint32_t axis,
                            axis_of(call.attributes.integer(kSumAxis), x.shape.rank(), "axis"));
  const bool is_exclusive = call.attributes.flag(kExclusive);
  const bool is_reverse = call.attributes.flag(kReverse);
  const AxisLayout lines = AxisLayout::of(x.shape, axis);
  for (size_t line = begin; line < end; ++line) {
    const size_t place = lines.line_begin(line, lines.length);
    double sum = 0;
    uint64_t whole = 0;
    for (size_t k = 0; k < lines.length; ++k) {
      const size_t at = place + (is_reverse ? lines.length - 1 - k : k) * lines.inner;
      const double sum_before = sum;
      const uint64_t whole_before = whole;
      if (is_float(x.type)) {
        sum += number_at(x.type, x.data, at);
        store_number(x.type, is_exclusive ? sum_before : sum, call.outputs[0].data, at);
      } else {
        whole += integer_at(x.type, x.data, at);
        narrow(x.type, is_exclusive ? &whole_before : &whole, 1, call.outputs[0].data, at);
      }
    }
  }
  return ok_status();
}

constexpr AttributeSpec kTopAttributes[] = {{"axis", AttributeKind::integer, false, -1},
                                            {"largest", AttributeKind::integer, false, 1},
                                            {"count", AttributeKind::integer, true}};
constexpr AttributeSpec kSumAttributes[] = {{"axis", AttributeKind::integer},
                                            {"exclusive", AttributeKind::integer},
                                            {"reverse", AttributeKind::integer}};

constexpr Operator kOperators[] = {
    {.name = "top",
     .least_outputs = 2,
     .most_outputs = 2,
     .attributes = kTopAttributes,
     .infer = infer_top,
     .run = run_top},
    {.name = "running_sum",
     .attributes = kSumAttributes,
     .infer = infer_running_sum,
     .run = run_running_sum},
};

}  // namespace

std::span<const Operator> axis_line_operators() { return kOperators; }

}  // namespace susurrus
