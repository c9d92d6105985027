#pragma once
#include <algorithm>
#include <array>

#include "graph/operator.h"

namespace susurrus {

/// Elements that an elementwise operator works on at once; one item of its work.
inline constexpr size_t kElementsPerItem = 4096;

/// The work of an operator that visits each of `count` elements, at `cost` multiplications each.
inline Work elementwise_work(size_t count, uint64_t cost = 1) {
  Work work;
  work.items = std::max<size_t>(1, (count + kElementsPerItem - 1) / kElementsPerItem);
  work.cost = cost * count;
  return work;
}

/// The elements of items [begin, end).
struct ElementRange {
  size_t begin;
  size_t end;
};
inline ElementRange elements_of(size_t count, size_t begin, size_t end) {
  return {std::min(count, begin * kElementsPerItem), std::min(count, end * kElementsPerItem)};
}

/// How a tensor is read by the places of another one: elements from one index of a dimension to the next.
struct Strides {
  std::array<uint64_t, limits::kMaxDims> steps{};

  /// The strides of `shape` itself.
  static Strides of(const Shape& shape) {
    Strides strides;
    uint64_t step = 1;
    for (uint32_t i = shape.rank(); i-- > 0;) {
      strides.steps[i] = step;
      step *= shape[i];
    }
    return strides;
  }

  /// The strides of `shape` broadcast to `whole`: 0 where it repeats.
  static Strides broadcast(const Shape& shape, const Shape& whole) {
    const Strides own = of(shape);
    Strides strides;
    const uint32_t lead = whole.rank() - shape.rank();
    for (uint32_t i = 0; i < shape.rank(); ++i) {
      strides.steps[lead + i] = shape[i] == 1 ? 0 : own.steps[i];
    }
    return strides;
  }
};

/// Visits rows of the last dimension of `shape`, from element `begin` to `end` of it: visit(first, count, places), where
/// places[k] is the place of `first` by strides[k]. Within a row the place of k moves by strides[k].steps[rank - 1].
template <size_t Count, typename Visit>
void for_each_row(const Shape& shape, const std::array<Strides, Count>& strides, size_t begin,
                  size_t end, Visit&& visit) {
  if (begin >= end) return;
  const uint32_t rank = shape.rank();
  std::array<size_t, limits::kMaxDims> index{};
  std::array<size_t, Count> places{};
  const auto move = [&](uint32_t i, size_t count) {
    index[i] += count;
    for (size_t k = 0; k < Count; ++k) {
      places[k] += count * static_cast<size_t>(strides[k].steps[i]);
    }
  };
  size_t rest = begin;
  for (uint32_t i = rank; i-- > 0;) {
    const auto dim = static_cast<size_t>(shape[i]);
    move(i, rest % dim);
    rest /= dim;
  }
  for (size_t at = begin; at < end;) {
    const size_t left = rank == 0 ? 1 : static_cast<size_t>(shape.last()) - index[rank - 1];
    const size_t count = std::min(end - at, left);
    visit(at, count, places);
    at += count;
    // Divisions for each row would take longer than short rows.
    size_t moved = count;
    for (uint32_t i = rank; i-- > 0; moved = 1) {
      move(i, moved);
      const auto dim = static_cast<size_t>(shape[i]);
      if (index[i] < dim) break;
      index[i] = 0;
      for (size_t k = 0; k < Count; ++k) {
        places[k] -= dim * static_cast<size_t>(strides[k].steps[i]);
      }
    }
  }
}

/// A tensor along an axis: `outer` blocks, in each of which every index of the axis has `inner` elements. A line is what lies
/// along the axis at one place of the other dimensions; its elements are `inner` apart.
struct AxisLayout {
  size_t outer = 1;
  size_t length = 1;
  size_t inner = 1;

  static AxisLayout of(const Shape& shape, uint32_t axis) {
    AxisLayout layout;
    layout.length = static_cast<size_t>(shape[axis]);
    for (uint32_t i = 0; i < axis; ++i) layout.outer *= static_cast<size_t>(shape[i]);
    for (uint32_t i = axis + 1; i < shape.rank(); ++i) {
      layout.inner *= static_cast<size_t>(shape[i]);
    }
    return layout;
  }
  size_t line_count() const { return outer * inner; }
  /// Where a line begins in a tensor that has `own_length` indices along the axis.
  size_t line_begin(size_t line, size_t own_length) const {
    return line / inner * inner * own_length + line % inner;
  }
};

}  // namespace susurrus
