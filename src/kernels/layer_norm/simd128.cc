#include <cmath>

#include "kernels/layer_norm/layer_norm.h"
#include "kernels/simd/vector.h"

namespace susurrus {
namespace {

using simd::load;

float row_sum(const float* x, size_t count) {
  v128_t sums[4] = {};
  size_t i = 0;
  for (; i + 16 <= count; i += 16) {
#pragma unroll
    for (int j = 0; j < 4; ++j) sums[j] = wasm_f32x4_add(sums[j], load(x + i + 4 * j));
  }
  float sum = simd::sum_lanes(simd::sum_each(sums[0], sums[1], sums[2], sums[3]));
  for (; i < count; ++i) sum += x[i];
  return sum;
}

float row_squares(const float* x, size_t count, float mean) {
  const v128_t means = wasm_f32x4_splat(mean);
  v128_t sums[4] = {};
  size_t i = 0;
  for (; i + 16 <= count; i += 16) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const v128_t difference = wasm_f32x4_sub(load(x + i + 4 * j), means);
      sums[j] = wasm_f32x4_add(sums[j], wasm_f32x4_mul(difference, difference));
    }
  }
  float sum = simd::sum_lanes(simd::sum_each(sums[0], sums[1], sums[2], sums[3]));
  for (; i < count; ++i) sum += (x[i] - mean) * (x[i] - mean);
  return sum;
}

}  // namespace

void layer_norm_simd128(size_t rows, size_t columns, const float* x, size_t x_stride,
                        const float* gamma, const float* beta, float* y, size_t y_stride) {
  const float count = static_cast<float>(columns);
  for (size_t r = 0; r < rows; ++r, x += x_stride, y += y_stride) {
    const float mean = row_sum(x, columns) / count;
    const float scale = 1.0f / std::sqrt(row_squares(x, columns, mean) / count + kLayerNormEpsilon);
    const v128_t means = wasm_f32x4_splat(mean);
    const v128_t scales = wasm_f32x4_splat(scale);
    size_t c = 0;
    for (; c + 4 <= columns; c += 4) {
      const v128_t normalised = wasm_f32x4_mul(wasm_f32x4_sub(load(x + c), means), scales);
      simd::store(y + c,
                  wasm_f32x4_add(wasm_f32x4_mul(normalised, load(gamma + c)), load(beta + c)));
    }
    for (; c < columns; ++c) y[c] = (x[c] - mean) * scale * gamma[c] + beta[c];
  }
}

}  // namespace susurrus
