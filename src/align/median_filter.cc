#include "align/median_filter.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace susurrus {
namespace {

bool ranks_below(float a, float b) { return a < b || (std::isnan(b) && !std::isnan(a)); }

/// The values of the window in ascending order, kept up to date as it slides by one.
class SortedWindow {
 public:
  SortedWindow(float* values, size_t width) : values_(values), width_(width) {}

  void fill(const float* from) {
    std::copy_n(from, width_, values_);
    std::sort(values_, values_ + width_, ranks_below);
  }
  void replace(float leaving, float entering) {
    size_t i = 0;
    while (ranks_below(values_[i], leaving)) ++i;
    for (; i + 1 < width_ && ranks_below(values_[i + 1], entering); ++i)
      values_[i] = values_[i + 1];
    for (; i > 0 && ranks_below(entering, values_[i - 1]); --i) values_[i] = values_[i - 1];
    values_[i] = entering;
  }
  float median() const { return values_[width_ / 2]; }

 private:
  float* values_;
  size_t width_;
};

}  // namespace

void median_filter(size_t rows, size_t columns, size_t width, float* x, std::span<float> scratch) {
  SUSURRUS_CHECK(width % 2 == 1 && scratch.size() >= median_filter_scratch_floats(columns, width));
  const size_t pad = width / 2;
  if (columns <= pad) return;
  float* const padded = scratch.data();
  SortedWindow window(padded + columns + 2 * pad, width);
  for (size_t r = 0; r < rows; ++r) {
    float* const row = x + r * columns;
    std::copy_n(row, columns, padded + pad);
    for (size_t i = 1; i <= pad; ++i) {
      padded[pad - i] = row[i];
      padded[pad + columns - 1 + i] = row[columns - 1 - i];
    }
    window.fill(padded);
    row[0] = window.median();
    for (size_t t = 1; t < columns; ++t) {
      window.replace(padded[t - 1], padded[t + width - 1]);
      row[t] = window.median();
    }
  }
}

}  // namespace susurrus
