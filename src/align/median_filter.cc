#include "align/median_filter.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"

namespace susurrus {
namespace {

// NaN takes part as the largest number, so that comparing needs no branches.
constexpr float kNanRank = std::numeric_limits<float>::infinity();
// Columns worked on side by side, in vectors.
constexpr size_t kLanes = 16;

float rank_of(float value) { return std::isnan(value) ? kNanRank : value; }
float value_of(float rank) {
  return rank == kNanRank ? std::numeric_limits<float>::quiet_NaN() : rank;
}

/// medians[i] = the median of the `width` values from values[i] on, for kLanes of them.
void find_medians(const float* values, size_t width, float* medians) {
  float sorted[kMaxMedianWidth][kLanes];
  for (size_t j = 0; j < width; ++j) std::copy_n(values + j, kLanes, sorted[j]);
  // The lower half and the middle sink to their places, the smallest first.
  for (size_t place = 0; place <= width / 2; ++place) {
    for (size_t j = width - 1; j > place; --j) {
      for (size_t lane = 0; lane < kLanes; ++lane) {
        const float a = sorted[j - 1][lane];
        const float b = sorted[j][lane];
        sorted[j - 1][lane] = b < a ? b : a;
        sorted[j][lane] = b < a ? a : b;
      }
    }
  }
  std::copy_n(sorted[width / 2], kLanes, medians);
}

}  // namespace

void median_filter(size_t rows, size_t columns, size_t width, float* x, std::span<float> scratch) {
  SUSURRUS_CHECK(width % 2 == 1 && width <= kMaxMedianWidth &&
                 scratch.size() >= median_filter_scratch_floats(columns));
  const size_t pad = width / 2;
  if (columns <= pad) return;
  float* const padded = scratch.data();
  // The last lanes may lie past the row.
  std::ranges::fill(scratch, 0.0f);
  for (size_t r = 0; r < rows; ++r) {
    float* const row = x + r * columns;
    for (size_t t = 0; t < columns; ++t) padded[pad + t] = rank_of(row[t]);
    for (size_t i = 1; i <= pad; ++i) {
      padded[pad - i] = padded[pad + i];
      padded[pad + columns - 1 + i] = padded[pad + columns - 1 - i];
    }
    for (size_t t = 0; t < columns; t += kLanes) {
      float medians[kLanes];
      find_medians(padded + t, width, medians);
      for (size_t i = 0; i < std::min(kLanes, columns - t); ++i) row[t + i] = value_of(medians[i]);
    }
  }
}

}  // namespace susurrus
