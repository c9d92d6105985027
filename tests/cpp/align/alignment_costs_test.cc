// The steps from attention scores to the costs that are warped, against plain float64.
#include "align/alignment_costs.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "align/median_filter.h"
#include "align/token_normalization.h"
#include "kernels/kernel_support.h"
#include "session/allocation_count.h"
#include "shared_files.h"

namespace susurrus::testing::alignment_costs_test {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

std::vector<float> filtered(size_t width, std::vector<float> row) {
  std::vector<float> scratch(median_filter_scratch_floats(row.size()));
  median_filter(1, row.size(), width, row.data(), scratch);
  return row;
}

template <typename T>
T median_by_sorting(const std::vector<T>& row, size_t t, size_t width) {
  const auto count = static_cast<int64_t>(row.size());
  std::vector<T> around;
  for (size_t i = 0; i < width; ++i) {
    const int64_t at = std::abs(static_cast<int64_t>(t + i) - static_cast<int64_t>(width / 2));
    around.push_back(row[static_cast<size_t>(at < count ? at : 2 * (count - 1) - at)]);
  }
  std::ranges::sort(around);
  return around[width / 2];
}

/// The formula of one head, in float64: softmax over frames, normalised over tokens, smoothed.
std::vector<double> exact_head(const std::vector<float>& scores, size_t tokens, size_t frames) {
  std::vector<double> x(scores.begin(), scores.end());
  for (size_t r = 0; r < tokens; ++r) {
    double sum = 0;
    for (size_t t = 0; t < frames; ++t) sum += std::exp(x[r * frames + t]);
    for (size_t t = 0; t < frames; ++t) x[r * frames + t] = std::exp(x[r * frames + t]) / sum;
  }
  for (size_t t = 0; t < frames; ++t) {
    double mean = 0;
    double variance = 0;
    for (size_t r = 0; r < tokens; ++r) mean += x[r * frames + t] / double(tokens);
    for (size_t r = 0; r < tokens; ++r) {
      variance += std::pow(x[r * frames + t] - mean, 2) / double(tokens);
    }
    for (size_t r = 0; r < tokens; ++r) {
      x[r * frames + t] = (x[r * frames + t] - mean) / std::sqrt(variance);
    }
  }
  std::vector<double> smooth;
  for (size_t r = 0; r < tokens; ++r) {
    const std::vector<double> row(x.begin() + ptrdiff_t(r * frames),
                                  x.begin() + ptrdiff_t((r + 1) * frames));
    for (size_t t = 0; t < frames; ++t) smooth.push_back(median_by_sorting(row, t, 7));
  }
  return smooth;
}

}  // namespace

SUSURRUS_TEST(a_median_filter_takes_the_middle_of_each_window) {
  Random random(1);
  for (size_t width : {1, 3, 5, 7}) {
    for (size_t columns = width / 2 + 1; columns < 40; ++columns) {
      std::vector<float> row(columns);
      // Few different values: equal ones enter and leave the window.
      for (float& value : row) {
        value = columns % 2 ? random.bell() : static_cast<float>(random.below(3));
      }
      const std::vector<float> result = filtered(width, row);
      for (size_t t = 0; t < columns; ++t) {
        EXPECT_EQ(result[t], median_by_sorting(row, t, width));
      }
    }
  }
  EXPECT_TRUE(filtered(7, {3, 1, 2}) == (std::vector<float>{3, 1, 2}));  // too short
  EXPECT_TRUE(filtered(7, {}).empty());
}

SUSURRUS_TEST(a_median_filter_ranks_nan_above_every_number) {
  const std::vector<float> result = filtered(3, {1, kNan, 2, kNan, kNan, 3, 4, 5});
  const std::vector<float> wanted = {kNan, 2, kNan, kNan, kNan, 4, 4, 4};
  for (size_t t = 0; t < wanted.size(); ++t) {
    EXPECT_TRUE(result[t] == wanted[t] || (std::isnan(result[t]) && std::isnan(wanted[t])));
  }
}

SUSURRUS_TEST(medians_are_those_of_the_goldens) {
  const auto units = shared_json("golden/units/units.json");
  if (!units) return;
  const auto floats = [](JsonValue list) {
    std::vector<float> values;
    for (JsonValue value : list.items()) values.push_back(static_cast<float>(*value.number()));
    return values;
  };
  size_t count = 0;
  for (JsonValue one : units->root()["median_filter"].items()) {
    std::vector<size_t> shape;
    for (JsonValue side : one["shape"].items()) shape.push_back(*side.unsigned_integer());
    const size_t width = *one["width"].unsigned_integer();
    std::vector<float> x = floats(one["x"]);
    std::vector<float> scratch(median_filter_scratch_floats(shape[1]));
    median_filter(shape[0], shape[1], width, x.data(), scratch);
    EXPECT_TRUE(x == floats(one["y"]));
    ++count;
  }
  EXPECT_GT(count, 0u);
}

SUSURRUS_TEST(columns_are_normalised_over_the_rows) {
  std::vector<float> x = {1, 0.1f, -2, 3, 0.1f, -2, 5, 0.1f, 4};
  std::vector<double> scratch(normalization_scratch_doubles(3));
  normalise_over_rows(3, 3, x.data(), scratch);
  // Mean 3, population variance 8/3; mean 0, variance 8.
  const double deviation = std::sqrt(8.0 / 3);
  EXPECT_NEAR(x[0], -2 / deviation, 1e-6);
  EXPECT_NEAR(x[3], 0, 1e-6);
  EXPECT_NEAR(x[6], 2 / deviation, 1e-6);
  EXPECT_NEAR(x[2], -2 / std::sqrt(8.0), 1e-6);
  EXPECT_NEAR(x[8], 4 / std::sqrt(8.0), 1e-6);
  // Nothing but equal values: 0 / 0, as in the reference.
  for (size_t i : {1, 4, 7}) EXPECT_TRUE(std::isnan(x[i]));
}

SUSURRUS_TEST(alignment_costs_are_the_negative_mean_over_heads) {
  constexpr size_t kTokens = 9, kFrames = 31, kFirst = 2, kRows = 6, kHeads = 3;
  auto created = AlignmentCosts::create(kTokens, kFrames, kFirst, kRows);
  ASSERT_TRUE(created.has_value());
  AlignmentCosts costs = std::move(created).value();
  Random random(3);
  std::vector<double> sum(kTokens * kFrames);
  for (size_t head = 0; head < kHeads; ++head) {
    std::vector<float> scores(kTokens * kFrames);
    for (float& score : scores) score = 3 * random.bell();
    std::ranges::copy(scores, costs.scores().begin());
    const std::vector<double> exact = exact_head(scores, kTokens, kFrames);
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += exact[i];
    const uint64_t before = allocation_count();
    costs.normalise(default_kernels());
    costs.accumulate(default_kernels());
    EXPECT_EQ(allocation_count(), before);
  }
  const uint64_t before = allocation_count();
  costs.warp();
  EXPECT_EQ(allocation_count(), before);
  ASSERT_EQ(costs.costs().size(), kRows * kFrames);
  for (size_t i = 0; i < kRows * kFrames; ++i) {
    EXPECT_NEAR(costs.costs()[i], -sum[kFirst * kFrames + i] / double(kHeads), 2e-5);
  }
  EXPECT_EQ(costs.path().front().row, 0);
  EXPECT_EQ(costs.path().back().row, int32_t(kRows) - 1);
  EXPECT_EQ(costs.path().back().column, int32_t(kFrames) - 1);
}

SUSURRUS_TEST(alignment_without_frames_still_visits_every_row) {
  auto created = AlignmentCosts::create(5, 0, 1, 3);
  ASSERT_TRUE(created.has_value());
  AlignmentCosts costs = std::move(created).value();
  costs.normalise(default_kernels());
  costs.accumulate(default_kernels());
  costs.warp();
  EXPECT_EQ(costs.path().size(), 3u);
  EXPECT_EQ(costs.path().back().column, -1);
}

SUSURRUS_TEST(alignment_costs_report_want_of_memory) {
  auto created = AlignmentCosts::create(size_t{1} << 30, size_t{1} << 31, 0, 1);
  ASSERT_FALSE(created.has_value());
  EXPECT_EQ(created.error().code, ErrorCode::out_of_memory);
}

}  // namespace susurrus::testing::alignment_costs_test
