#pragma once
#include <cstddef>
#include <span>

namespace susurrus {

/// Floats of scratch that median_filter needs.
constexpr size_t median_filter_scratch_floats(size_t columns, size_t width) {
  return columns + 2 * width;
}

/// Replaces each value by the median of the `width` (odd) values around it, in place, per row of x (rows, columns).
/// Beyond its ends a row is reflected without repeating the end: x[-1] = x[1]. Rows of width / 2 values or fewer stay
/// as they are. NaN ranks above every number.
void median_filter(size_t rows, size_t columns, size_t width, float* x, std::span<float> scratch);

}  // namespace susurrus
