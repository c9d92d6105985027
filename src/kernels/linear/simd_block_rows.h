// One or two rows of x against a row of quantised weights, straight from the stored blocks.
#pragma once
#include <algorithm>

#include "kernels/half.h"
#include "kernels/scratch_layout.h"
#include "kernels/simd/blocks.h"
#include "kernels/simd/half.h"

namespace susurrus::simd {

/// sums[b] = x[32 b] + ... + x[32 b + 31]: what a block's minimum m is multiplied with. Zeros
/// follow up to a whole vector.
inline void sum_blocks(size_t block_count, const float* x, float* sums) {
  for (size_t b = 0; b < block_count; ++b, x += kBlockValues) {
    v128_t sum = load(x);
#pragma unroll
    for (size_t j = 4; j < kBlockValues; j += 4) sum = wasm_f32x4_add(sum, load(x + j));
    sums[b] = sum_lanes(sum);
  }
  std::fill(sums + block_count, sums + round_up(block_count, 4), 0.0f);
}

/// The halves at `field` of blocks `step[0..4)` bytes away, as floats.
inline v128_t four_halves(const HalfConverter& converter, const uint8_t* field,
                          const size_t step[4]) {
  return converter.exact(wasm_u32x4_make(load_u16(field + step[0]), load_u16(field + step[1]),
                                         load_u16(field + step[2]), load_u16(field + step[3])));
}

/// sums[r] += d[Lane] * (the block's integers . x[r])
template <class Madd, int R, int Lane, class Blocks>
inline void add_block(const Blocks& blocks, const uint8_t* block, v128_t d, const float* x,
                      size_t x_stride, v128_t sums[R]) {
  v128_t q[8];
  blocks.expand(block, q);
  const v128_t scale = wasm_i32x4_shuffle(d, d, Lane, Lane, Lane, Lane);
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
    sums[r] = Madd::madd(wasm_f32x4_add(even, odd), scale, sums[r]);
  }
}

/// The lanes of partial[r] add up to the product of x row r with the weights; x_sums as
/// sum_blocks(), for each x row.
template <class Madd, int R, class Blocks>
inline void dot_blocks(const Blocks& blocks, const HalfConverter& converter, size_t block_count,
                       const uint8_t* w, const float* x, size_t x_stride, const float* x_sums,
                       v128_t partial[R]) {
  constexpr BlockLayout kLayout = Blocks::kLayout;
  constexpr size_t kBytes = kLayout.byte_count;
#pragma unroll
  for (int r = 0; r < R; ++r) partial[r] = wasm_f32x4_const_splat(0);
  for (size_t b = 0; b < block_count; b += 4, w += 4 * kBytes, x += 4 * kBlockValues) {
    // Four blocks' scales at once; blocks beyond the last repeat it and are not used.
    const size_t left = block_count - b;
    const size_t step[4] = {0, left > 1 ? kBytes : 0, left > 2 ? 2 * kBytes : 0,
                            left > 3 ? 3 * kBytes : 0};
    const v128_t d = four_halves(converter, w, step);
    if constexpr (kLayout.m != BlockLayout::kAbsent) {
      const v128_t m = four_halves(converter, w + kLayout.m, step);
#pragma unroll
      for (int r = 0; r < R; ++r) {
        const float* row_sums = x_sums + static_cast<size_t>(r) * round_up(block_count, 4);
        partial[r] = Madd::madd(m, load(row_sums + b), partial[r]);
      }
    }
    add_block<Madd, R, 0>(blocks, w, d, x, x_stride, partial);
    if (left == 1) break;
    add_block<Madd, R, 1>(blocks, w + kBytes, d, x + kBlockValues, x_stride, partial);
    if (left == 2) break;
    add_block<Madd, R, 2>(blocks, w + 2 * kBytes, d, x + 2 * kBlockValues, x_stride, partial);
    if (left == 3) break;
    add_block<Madd, R, 3>(blocks, w + 3 * kBytes, d, x + 3 * kBlockValues, x_stride, partial);
  }
}

}  // namespace susurrus::simd
