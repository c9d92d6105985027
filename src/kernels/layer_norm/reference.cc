#include <cmath>

#include "kernels/layer_norm/layer_norm.h"

namespace susurrus {

void layer_norm_reference(size_t rows, size_t columns, const float* x, size_t x_stride,
                          const float* gamma, const float* beta, float* y, size_t y_stride) {
  for (size_t r = 0; r < rows; ++r, x += x_stride, y += y_stride) {
    double sum = 0;
    for (size_t c = 0; c < columns; ++c) sum += x[c];
    const double mean = sum / static_cast<double>(columns);
    double squares = 0;
    for (size_t c = 0; c < columns; ++c) squares += (x[c] - mean) * (x[c] - mean);
    const double scale = 1 / std::sqrt(squares / static_cast<double>(columns) + kLayerNormEpsilon);
    for (size_t c = 0; c < columns; ++c) {
      y[c] = static_cast<float>((x[c] - mean) * scale * gamma[c] + beta[c]);
    }
  }
}

}  // namespace susurrus
