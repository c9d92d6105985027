#pragma once
#include <cstddef>
#include <span>

namespace susurrus {

inline constexpr size_t kMaxMedianWidth = 7;

/// Floats of scratch that median_filter needs: a row, its reflected ends, and what is read past them.
constexpr size_t median_filter_scratch_floats(size_t columns) { return columns + 32; }

/// Replaces each value by the median of the `width` (odd, at most kMaxMedianWidth) values around it, in place, per row of
/// x (rows, columns). Beyond its ends a row is reflected without repeating the end: x[-1] = x[1]. Rows of width / 2 values
/// or fewer stay as they are. NaN ranks above every number; values are finite or NaN.
void median_filter(size_t rows, size_t columns, size_t width, float* x, std::span<float> scratch);

}  // namespace susurrus
