#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace susurrus {

/// A step of a warping path. -1 for a column that is not there: a path through nothing but NaN, or without columns,
/// still visits every row.
struct WarpingStep {
  int32_t row = 0;
  int32_t column = 0;
  bool operator==(const WarpingStep&) const = default;
};

/// Doubles of scratch, bytes of trace, and steps of path that dynamic_time_warping needs at most.
constexpr size_t warping_scratch_doubles(size_t columns) { return columns + 1; }
constexpr size_t warping_trace_bytes(size_t rows, size_t columns) { return rows * columns; }
constexpr size_t warping_path_steps(size_t rows, size_t columns) { return rows + columns; }

/// The cheapest monotone path through `costs` (rows, columns) from the first cell to the last, in ascending order.
/// Sums are f64. Ties go as in the reference: the diagonal only if strictly cheaper than both others, else up (from the
/// row before) if strictly cheaper than both, else left, even where that is the dearest of the three.
/// Does not allocate if `path` has the capacity.
void dynamic_time_warping(size_t rows, size_t columns, const float* costs,
                          std::span<double> scratch, std::span<uint8_t> trace,
                          std::vector<WarpingStep>& path);

}  // namespace susurrus
