#pragma once
#include <algorithm>

#include "kernels/attention/attention.h"
#include "kernels/simd/vector.h"
#include "kernels/softmax/simd_softmax.h"

namespace susurrus::simd {

/// The product of q with four keys.
template <class Madd>
inline v128_t score_four(const float* q, const float* const k[4], size_t size) {
  v128_t sums[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) sums[i] = wasm_f32x4_const_splat(0);
  size_t d = 0;
  for (; d + 4 <= size; d += 4) {
    const v128_t value = load(q + d);
#pragma unroll
    for (int i = 0; i < 4; ++i) sums[i] = Madd::madd(value, load(k[i] + d), sums[i]);
  }
  v128_t result = sum_each(sums[0], sums[1], sums[2], sums[3]);
  for (; d < size; ++d) {
    result = Madd::madd(load_splat(q + d), wasm_f32x4_make(k[0][d], k[1][d], k[2][d], k[3][d]), result);
  }
  return result;
}

/// out[0..4 N) = sum_j p[j] * v[j, 0..4 N)
template <class Madd, int N>
inline void weigh_values(const float* p, size_t keys, const float* v, size_t v_stride, float factor, float* out) {
  v128_t sums[N];
#pragma unroll
  for (int i = 0; i < N; ++i) sums[i] = wasm_f32x4_const_splat(0);
  for (size_t j = 0; j < keys; ++j, v += v_stride) {
    const v128_t weight = load_splat(p + j);
#pragma unroll
    for (int i = 0; i < N; ++i) sums[i] = Madd::madd(weight, load(v + 4 * i), sums[i]);
  }
  const v128_t factors = wasm_f32x4_splat(factor);
#pragma unroll
  for (int i = 0; i < N; ++i) store(out + 4 * i, wasm_f32x4_mul(sums[i], factors));
}

/// One query row of the head at `column`, straight from k and v.
template <class Madd>
inline void attend_row(const AttentionArgs& args, size_t column, size_t i) {
  const size_t keys = args.causal ? std::min(args.key_rows, args.causal_offset + i + 1) : args.key_rows;
  const size_t size = args.head_size;
  const float* q = args.q + i * args.q_stride + column;
  const float* k = args.k + column;
  const float* v = args.v + column;
  float* out = args.out + i * args.out_stride + column;
  float* scores = args.scratch.data();

  const v128_t scale = wasm_f32x4_splat(args.scale);
  for (size_t j = 0; j < keys; j += 4) {
    // Keys beyond the last repeat it; scratch has room for whole tiles.
    const float* const four[4] = {k + j * args.k_stride, k + std::min(j + 1, keys - 1) * args.k_stride,
                                  k + std::min(j + 2, keys - 1) * args.k_stride,
                                  k + std::min(j + 3, keys - 1) * args.k_stride};
    store(scores + j, wasm_f32x4_mul(score_four<Madd>(q, four, size), scale));
  }
  const float sum = exponentials<Madd>(scores, keys);
  const float factor = sum == 0.0f ? 0.0f : 1.0f / sum;
  size_t d = 0;
  for (; d + 32 <= size; d += 32) weigh_values<Madd, 8>(scores, keys, v + d, args.v_stride, factor, out + d);
  for (; d + 4 <= size; d += 4) weigh_values<Madd, 1>(scores, keys, v + d, args.v_stride, factor, out + d);
  for (; d < size; ++d) {
    float value = 0;
    for (size_t j = 0; j < keys; ++j) value += scores[j] * v[j * args.v_stride + d];
    out[d] = value * factor;
  }
}

}  // namespace susurrus::simd
