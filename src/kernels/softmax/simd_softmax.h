#pragma once
#include <limits>

#include "kernels/simd/exp.h"

namespace susurrus::simd {

inline float row_max(const float* x, size_t count) {
  v128_t max = wasm_f32x4_const_splat(-std::numeric_limits<float>::infinity());
  v128_t other = max;
  size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    max = wasm_f32x4_pmax(max, load(x + i));
    other = wasm_f32x4_pmax(other, load(x + i + 4));
  }
  float result = max_lanes(wasm_f32x4_pmax(max, other));
  for (; i < count; ++i) result = result < x[i] ? x[i] : result;
  return result;
}

/// x[i] = exp(x[i] - max(x)); returns their sum. A row of -inf becomes zeros with sum 0.
template <class Madd>
inline float exponentials(float* x, size_t count) {
  const float max = row_max(x, count);
  if (max == -std::numeric_limits<float>::infinity()) {
    for (size_t i = 0; i < count; ++i) x[i] = 0.0f;
    return 0.0f;
  }
  const Exp exp;
  const v128_t shift = wasm_f32x4_splat(max);
  v128_t sum0 = wasm_f32x4_const_splat(0);
  v128_t sum1 = sum0;
  size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const v128_t y0 = exp.of<Madd>(wasm_f32x4_sub(load(x + i), shift));
    const v128_t y1 = exp.of<Madd>(wasm_f32x4_sub(load(x + i + 4), shift));
    store(x + i, y0);
    store(x + i + 4, y1);
    sum0 = wasm_f32x4_add(sum0, y0);
    sum1 = wasm_f32x4_add(sum1, y1);
  }
  float sum = sum_lanes(wasm_f32x4_add(sum0, sum1));
  for (; i < count; ++i) {
    x[i] = wasm_f32x4_extract_lane(exp.of<Madd>(wasm_f32x4_splat(x[i] - max)), 0);
    sum += x[i];
  }
  return sum;
}

inline void scale_row(float* x, size_t count, float factor) {
  const v128_t factors = wasm_f32x4_splat(factor);
  size_t i = 0;
  for (; i + 4 <= count; i += 4) store(x + i, wasm_f32x4_mul(load(x + i), factors));
  for (; i < count; ++i) x[i] *= factor;
}

}  // namespace susurrus::simd
