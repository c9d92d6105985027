// One or two rows of x against quantised weights, straight from the stored blocks.
#pragma once
#include "kernels/half.h"
#include "kernels/simd/blocks.h"
#include "kernels/simd/half.h"

namespace susurrus::simd {

/// sums[b] = x[32 b] + ... + x[32 b + 31]: what a block's minimum m is multiplied with.
inline void sum_blocks(size_t k_count, const float* x, float* sums) {
  for (size_t k = 0; k < k_count; k += kBlockValues) {
    v128_t sum = load(x + k);
#pragma unroll
    for (size_t j = 4; j < kBlockValues; j += 4) sum = wasm_f32x4_add(sum, load(x + k + j));
    *sums++ = sum_lanes(sum);
  }
}

/// The halves at `offset` of four blocks, as floats.
inline v128_t four_halves(const HalfConverter& converter, const uint8_t* const w[4], size_t offset) {
  return converter.exact(wasm_u32x4_make(load_u16(w[0] + offset), load_u16(w[1] + offset), load_u16(w[2] + offset),
                                         load_u16(w[3] + offset)));
}

template <int Lane>
inline v128_t splat_lane(v128_t a) {
  return wasm_i32x4_shuffle(a, a, Lane, Lane, Lane, Lane);
}

/// sums[r] += d * (the block's integers . x[r])
template <class Madd, int R>
inline void add_block(const v128_t q[8], v128_t d, const float* x, size_t x_stride, v128_t sums[R]) {
#pragma unroll
  for (int r = 0; r < R; ++r) {
    const float* row = x + static_cast<size_t>(r) * x_stride;
    v128_t even = wasm_f32x4_mul(q[0], load(row));
    v128_t odd = wasm_f32x4_mul(q[1], load(row + 4));
#pragma unroll
    for (int j = 2; j < 8; j += 2) {
      even = Madd::madd(q[j], load(row + 4 * j), even);
      odd = Madd::madd(q[j + 1], load(row + 4 * j + 4), odd);
    }
    sums[r] = Madd::madd(wasm_f32x4_add(even, odd), d, sums[r]);
  }
}

/// result[r] = the products of x row r with the weight rows w[0..4); x_sums as sum_blocks() for each x row.
template <class Madd, int R, class Blocks>
inline void dot_blocks(const Blocks& blocks, const HalfConverter& converter, size_t k_count, const uint8_t* const w[4],
                       const float* x, size_t x_stride, const float* x_sums, v128_t result[R]) {
  constexpr BlockLayout kLayout = Blocks::kLayout;
  const size_t block_count = k_count / kBlockValues;
  v128_t sums[4][R];
#pragma unroll
  for (int r = 0; r < R; ++r) {
    result[r] = wasm_f32x4_const_splat(0);
#pragma unroll
    for (int i = 0; i < 4; ++i) sums[i][r] = wasm_f32x4_const_splat(0);
  }
  const uint8_t* rows[4] = {w[0], w[1], w[2], w[3]};
  for (size_t b = 0; b < block_count; ++b) {
    const v128_t d = four_halves(converter, rows, 0);
    if constexpr (kLayout.m != BlockLayout::kAbsent) {
      const v128_t m = four_halves(converter, rows, kLayout.m);
      for (int r = 0; r < R; ++r) {
        result[r] = Madd::madd(m, load_splat(x_sums + static_cast<size_t>(r) * block_count + b), result[r]);
      }
    }
    const v128_t scales[4] = {splat_lane<0>(d), splat_lane<1>(d), splat_lane<2>(d), splat_lane<3>(d)};
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      v128_t q[8];
      blocks.expand(rows[i], q);
      add_block<Madd, R>(q, scales[i], x, x_stride, sums[i]);
      rows[i] += kLayout.byte_count;
    }
    x += kBlockValues;
  }
#pragma unroll
  for (int r = 0; r < R; ++r) {
    result[r] = wasm_f32x4_add(result[r], sum_each(sums[0][r], sums[1][r], sums[2][r], sums[3][r]));
  }
}

}  // namespace susurrus::simd
