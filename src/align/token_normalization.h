#pragma once
#include <cstddef>
#include <span>

namespace susurrus {

/// Doubles of scratch that normalise_over_rows needs.
constexpr size_t normalization_scratch_doubles(size_t columns) { return 2 * columns; }

/// x[r, c] = (x[r, c] - mean_c) / std_c in place, mean and population standard deviation of each column of x (rows,
/// columns), taken in f64 and applied in f32. A column of equal values becomes NaN, as in the reference.
void normalise_over_rows(size_t rows, size_t columns, float* x, std::span<double> scratch);

}  // namespace susurrus
