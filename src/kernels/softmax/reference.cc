#include <cmath>
#include <limits>

#include "kernels/softmax/softmax.h"

namespace susurrus {

void softmax_reference(size_t rows, size_t columns, float* x, size_t stride) {
  constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();
  for (size_t r = 0; r < rows; ++r, x += stride) {
    float max = kMinusInfinity;
    for (size_t c = 0; c < columns; ++c) max = x[c] > max ? x[c] : max;
    if (max == kMinusInfinity) {
      for (size_t c = 0; c < columns; ++c) x[c] = 0.0f;
      continue;
    }
    double sum = 0;
    for (size_t c = 0; c < columns; ++c) sum += std::exp(static_cast<double>(x[c]) - max);
    for (size_t c = 0; c < columns; ++c) {
      x[c] = static_cast<float>(std::exp(static_cast<double>(x[c]) - max) / sum);
    }
  }
}

}  // namespace susurrus
