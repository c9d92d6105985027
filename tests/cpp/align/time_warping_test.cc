// The cheapest path through a matrix of costs, and which of several equally cheap ones.
#include "align/time_warping.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "kernels/kernel_support.h"
#include "shared_files.h"

namespace susurrus::testing::time_warping_test {
namespace {

std::vector<WarpingStep> warp(size_t rows, size_t columns, const std::vector<float>& costs) {
  std::vector<double> scratch(warping_scratch_doubles(columns));
  std::vector<uint8_t> trace(warping_trace_bytes(rows, columns));
  std::vector<WarpingStep> path;
  dynamic_time_warping(rows, columns, costs.data(), scratch, trace, path);
  return path;
}

/// "row,column row,column …"
std::string text(const std::vector<WarpingStep>& path) {
  std::string steps;
  for (const WarpingStep& at : path) {
    steps += (steps.empty() ? "" : " ") + std::to_string(at.row) + "," + std::to_string(at.column);
  }
  return steps;
}

struct Matrix {
  size_t rows = 0;
  size_t columns = 0;
  std::vector<float> costs;
  double at(size_t i, size_t j) const { return double{costs[i * columns + j]}; }
};

/// The cheapest path from (0, 0) to (i, j), found by trying all of them.
double cheapest_by_trial(const Matrix& matrix, size_t i, size_t j) {
  double before = i + j == 0 ? 0 : std::numeric_limits<double>::infinity();
  if (i > 0) before = std::min(before, cheapest_by_trial(matrix, i - 1, j));
  if (j > 0) before = std::min(before, cheapest_by_trial(matrix, i, j - 1));
  if (i > 0 && j > 0) before = std::min(before, cheapest_by_trial(matrix, i - 1, j - 1));
  return before + matrix.at(i, j);
}

}  // namespace

SUSURRUS_TEST(a_warping_path_is_monotone_and_whole_and_without_ties_the_cheapest) {
  Random random(5);
  for (int round = 0; round < 300; ++round) {
    Matrix matrix{1 + random.below(5), 1 + random.below(6), {}};
    matrix.costs.resize(matrix.rows * matrix.columns);
    const bool has_ties = round % 2 == 0;
    for (float& cost : matrix.costs) {
      cost = has_ties ? static_cast<float>(random.below(3)) : random.bell();
    }
    const std::vector<WarpingStep> path = warp(matrix.rows, matrix.columns, matrix.costs);
    ASSERT_EQ(text({path.front()}), "0,0");
    double sum = 0;
    for (size_t i = 0; i < path.size(); ++i) {
      sum += matrix.at(static_cast<size_t>(path[i].row), static_cast<size_t>(path[i].column));
      if (i == 0) continue;
      const int down = path[i].row - path[i - 1].row;
      const int right = path[i].column - path[i - 1].column;
      EXPECT_TRUE((down == 0 || down == 1) && (right == 0 || right == 1) && down + right > 0);
    }
    EXPECT_TRUE(path.back() == (WarpingStep{static_cast<int32_t>(matrix.rows) - 1,
                                            static_cast<int32_t>(matrix.columns) - 1}));
    const double least = cheapest_by_trial(matrix, matrix.rows - 1, matrix.columns - 1);
    EXPECT_TRUE(has_ties ? sum >= least : std::abs(sum - least) < 1e-9);
  }
}

SUSURRUS_TEST(a_warping_path_goes_left_where_others_tie) {
  EXPECT_EQ(text(warp(2, 2, {0, 0, 0, 0})), "0,0 1,0 1,1");   // all equal: left
  EXPECT_EQ(text(warp(2, 2, {1, -1, 0, 0})), "0,0 0,1 1,1");  // up cheapest
  EXPECT_EQ(text(warp(2, 2, {0, 1, 1, 0})), "0,0 1,1");       // diagonal cheapest
  EXPECT_EQ(text(warp(2, 2, {0, 0, 1, 0})), "0,0 1,0 1,1");   // diagonal and up equal: left, dearer
}

SUSURRUS_TEST(a_warping_path_through_nothing_visits_every_row) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(text(warp(3, 0, {})), "0,-1 1,-1 2,-1");
  EXPECT_EQ(text(warp(2, 2, {nan, nan, nan, nan})), "0,-1 1,-1 1,0 1,1");
  // Whatever comes after NaN is unknown too: the path runs left until it is behind.
  EXPECT_EQ(text(warp(2, 4, {0, 1, nan, 0, 1, 0, nan, 0})), "0,0 1,1 1,2 1,3");
}

SUSURRUS_TEST(warping_paths_are_those_of_the_goldens) {
  const auto units = shared_json("golden/units/units.json");
  if (!units) return;
  size_t count = 0;
  for (JsonValue one : units->root()["dtw"].items()) {
    std::vector<size_t> shape;
    for (JsonValue side : one["shape"].items()) shape.push_back(*side.unsigned_integer());
    std::vector<float> costs;
    for (JsonValue cost : one["x"].items()) costs.push_back(static_cast<float>(*cost.number()));
    std::vector<WarpingStep> golden;
    for (JsonValue row : one["text_indices"].items()) {
      golden.push_back({static_cast<int32_t>(*row.unsigned_integer()), 0});
    }
    size_t step = 0;
    for (JsonValue column : one["time_indices"].items()) {
      golden[step++].column = static_cast<int32_t>(*column.unsigned_integer());
    }
    EXPECT_EQ(text(warp(shape[0], shape[1], costs)), text(golden));
    ++count;
  }
  EXPECT_GT(count, 0u);
}

}  // namespace susurrus::testing::time_warping_test
