// Along one axis: the greatest or least elements in order, and sums of all before.
#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "graph/ops/elements.h"
#include "graph/ops/lists.h"
#include "graph/ops/wide_elements.h"

namespace susurrus {
namespace {

/// Moves of a line's sort that make up one work item.
constexpr size_t kMovesPerItem = 1024;

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
  const auto size = static_cast<size_t>(x.shape[axis]);
  const auto kept = static_cast<size_t>(count);
  const uint64_t moves =
      kept == 0 ? 0 : AxisLayout::of(x.shape, axis).line_count() * (uint64_t{size} + kept);
  inference.work.items =
      static_cast<size_t>(std::max<uint64_t>(1, (moves + kMovesPerItem - 1) / kMovesPerItem));
  // A move goes through the heap from one end to the other.
  inference.work.cost = moves * 10 * static_cast<uint64_t>(std::bit_width(kept));
  inference.work.state_byte_count = kept * sizeof(size_t);
  return ok_status();
}

/// Indices of the line that come first so far, as a heap: the last of them is on top.
template <typename IsBefore>
class TopHeap {
 public:
  TopHeap(size_t* indices, IsBefore is_before) : indices_(indices), is_before_(is_before) {}

  size_t& operator[](size_t place) { return indices_[place]; }
  bool is_before(size_t a, size_t b) const { return is_before_(a, b); }
  void rise(size_t place) {
    for (size_t parent; place > 0; place = parent) {
      parent = (place - 1) / 2;
      if (!is_before_(indices_[parent], indices_[place])) return;
      std::swap(indices_[parent], indices_[place]);
    }
  }
  /// From the top, among the first `end`.
  void sink(size_t end) {
    for (size_t place = 0, child; (child = 2 * place + 1) < end; place = child) {
      if (child + 1 < end && is_before_(indices_[child], indices_[child + 1])) ++child;
      if (!is_before_(indices_[place], indices_[child])) return;
      std::swap(indices_[place], indices_[child]);
    }
  }

 private:
  size_t* indices_;
  IsBefore is_before_;
};

/// A line takes a move for each of its elements, which may get into the heap, and one for each that is wanted, which leaves it, the
/// last one first. The heap is all that lives between moves.
Status run_top(const Call& call, size_t begin, size_t end) {
  const Tensor& x = call.inputs[0];
  SUSURRUS_ASSIGN_OR_RETURN(const uint32_t axis,
                            axis_of(call.attributes.integer(kTopAxis), x.shape.rank(), "axis"));
  const bool wants_largest = call.attributes.flag(kLargest);
  const auto count = static_cast<size_t>(call.attributes.integer(kCount));
  if (count == 0) return ok_status();
  const AxisLayout lines = AxisLayout::of(x.shape, axis);
  const size_t size = element_byte_count(x.type);
  const uint64_t moves_per_line = uint64_t{lines.length} + count;
  const uint64_t last =
      std::min(uint64_t{end} * kMovesPerItem, lines.line_count() * moves_per_line);
  for (uint64_t at = uint64_t{begin} * kMovesPerItem; at < last;) {
    const auto line = static_cast<size_t>(at / moves_per_line);
    auto move = static_cast<size_t>(at % moves_per_line);
    const auto moves_end =
        static_cast<size_t>(std::min<uint64_t>(moves_per_line, move + (last - at)));
    at += moves_end - move;
    const auto* from =
        static_cast<const uint8_t*>(x.data) + lines.line_begin(line, lines.length) * size;
    TopHeap heap(reinterpret_cast<size_t*>(call.state.data()), [&](size_t a, size_t b) {
      const uint64_t first = order_of(x.type, from, a * lines.inner);
      const uint64_t second = order_of(x.type, from, b * lines.inner);
      return first == second ? a < b : wants_largest == (first > second);
    });
    for (; move < std::min(moves_end, lines.length); ++move) {
      if (move < count) {
        heap[move] = move;
        heap.rise(move);
      } else if (heap.is_before(move, heap[0])) {
        heap[0] = move;
        heap.sink(count);
      }
    }
    for (; move < moves_end; ++move) {
      const size_t place = count - 1 - (move - lines.length);
      const size_t index = heap[0];
      heap[0] = heap[place];
      heap.sink(place);
      const size_t to = lines.line_begin(line, count) + place * lines.inner;
      std::memcpy(static_cast<uint8_t*>(call.outputs[0].data) + to * size,
                  from + index * lines.inner * size, size);
      call.outputs[1].as<int64_t>()[to] = static_cast<int64_t>(index);
    }
  }
  return ok_status();
}

enum SumAttribute : size_t { kSumAxis, kExclusive, kReverse };

/// The running sum: `number` for floats, `whole` for integers.
struct SumSoFar {
  double number;
  uint64_t whole;
};

/// Sums of all elements before, with or without the own one.
Status infer_running_sum(Inference& inference) {
  const Operand& x = inference.inputs[0];
  if (x.type == ElementType::boolean) return wrong_input(0, "numbers", "bool");
  const auto axis = axis_of(inference.attributes.integer(kSumAxis), x.shape.rank(), "axis");
  if (!axis) return axis.error();
  inference.outputs[0] = {x.type, x.shape};
  inference.work = elementwise_work(static_cast<size_t>(*x.shape.element_count()), 4);
  inference.work.state_byte_count = sizeof(SumSoFar);
  return ok_status();
}

Status run_running_sum(const Call& call, size_t begin, size_t end) {
  const Tensor& x = call.inputs[0];
  SUSURRUS_ASSIGN_OR_RETURN(const uint32_t axis,
                            axis_of(call.attributes.integer(kSumAxis), x.shape.rank(), "axis"));
  const bool is_exclusive = call.attributes.flag(kExclusive);
  const bool is_reverse = call.attributes.flag(kReverse);
  const AxisLayout lines = AxisLayout::of(x.shape, axis);
  auto& sum = *reinterpret_cast<SumSoFar*>(call.state.data());
  const auto range = elements_of(x.count(), begin, end);
  for (size_t i = range.begin; i < range.end; ++i) {
    // One line after the other.
    const size_t k = i % lines.length;
    if (k == 0) sum = {};
    const size_t at = lines.line_begin(i / lines.length, lines.length) +
                      (is_reverse ? lines.length - 1 - k : k) * lines.inner;
    const SumSoFar before = sum;
    if (is_float(x.type)) {
      sum.number += number_at(x.type, x.data, at);
      store_number(x.type, is_exclusive ? before.number : sum.number, call.outputs[0].data, at);
    } else {
      sum.whole += integer_at(x.type, x.data, at);
      narrow(x.type, is_exclusive ? &before.whole : &sum.whole, 1, call.outputs[0].data, at);
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
