#include "align/token_normalization.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace susurrus {

void normalise_over_rows(size_t rows, size_t columns, float* x, std::span<double> scratch) {
  SUSURRUS_CHECK(scratch.size() >= normalization_scratch_doubles(columns));
  double* const means = scratch.data();
  double* const deviations = means + columns;
  std::fill_n(means, 2 * columns, 0.0);
  // Row by row: a column at a time would touch a cache line for every value.
  for (size_t r = 0; r < rows; ++r) {
    for (size_t c = 0; c < columns; ++c) means[c] += double{x[r * columns + c]};
  }
  const auto count = static_cast<double>(rows);
  for (size_t c = 0; c < columns; ++c) means[c] /= count;
  for (size_t r = 0; r < rows; ++r) {
    for (size_t c = 0; c < columns; ++c) {
      const double difference = double{x[r * columns + c]} - means[c];
      deviations[c] += difference * difference;
    }
  }
  for (size_t c = 0; c < columns; ++c) deviations[c] = std::sqrt(deviations[c] / count);
  for (size_t r = 0; r < rows; ++r) {
    float* const row = x + r * columns;
    for (size_t c = 0; c < columns; ++c) {
      row[c] = (row[c] - static_cast<float>(means[c])) / static_cast<float>(deviations[c]);
    }
  }
}

}  // namespace susurrus
