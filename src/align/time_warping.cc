#include "align/time_warping.h"

#include <algorithm>
#include <limits>

#include "base/check.h"

namespace susurrus {
namespace {

enum Move : uint8_t { kDiagonal, kUp, kLeft };

struct Choice {
  double cost;
  Move move;
};

// Comparisons with NaN are false, which makes it a move to the left.
Choice cheapest(double diagonal, double up, double left) {
  if (diagonal < up && diagonal < left) return {diagonal, kDiagonal};
  if (up < diagonal && up < left) return {up, kUp};
  return {left, kLeft};
}

}  // namespace

void dynamic_time_warping(size_t rows, size_t columns, const float* costs,
                          std::span<double> scratch, std::span<uint8_t> trace,
                          std::vector<WarpingStep>& path) {
  SUSURRUS_CHECK(scratch.size() >= warping_scratch_doubles(columns) &&
                 trace.size() >= warping_trace_bytes(rows, columns));
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  // sums[j + 1]: of the cheapest path to column j in the row before, then in this row. sums[0] is the edge.
  const std::span<double> sums = scratch.first(columns + 1);
  std::ranges::fill(sums, kInfinity);
  sums[0] = 0;
  for (size_t i = 0; i < rows; ++i) {
    double diagonal = sums[0];
    sums[0] = kInfinity;
    for (size_t j = 0; j < columns; ++j) {
      const Choice choice = cheapest(diagonal, sums[j + 1], sums[j]);
      diagonal = sums[j + 1];
      sums[j + 1] = double{costs[i * columns + j]} + choice.cost;
      trace[i * columns + j] = choice.move;
    }
  }

  path.clear();
  path.reserve(warping_path_steps(rows, columns));
  auto i = static_cast<int32_t>(rows) - 1;
  auto j = static_cast<int32_t>(columns) - 1;
  while (i >= 0 || j >= 0) {
    path.push_back({i, j});
    Move move = kUp;
    if (i < 0) {
      move = kLeft;
    } else if (j >= 0) {
      move = static_cast<Move>(trace[static_cast<size_t>(i) * columns + static_cast<size_t>(j)]);
    }
    if (move != kLeft) --i;
    if (move != kUp) --j;
  }
  std::ranges::reverse(path);
}

}  // namespace susurrus
