// The register tile under every matrix product.
#pragma once
#include "kernels/simd/vector.h"

namespace susurrus::simd {

/// Columns of a tile: two vectors, so that kTileRows x 2 accumulators fill the sixteen registers of
/// x86.
inline constexpr size_t kTileColumns = 8;

/// sums[m] += a_rows[m][step] * b[step, 0..8)
template <class Madd, int Rows>
inline void tile_step(const float* const a_rows[Rows], int step, const float* b,
                      v128_t sums[Rows][2]) {
  const v128_t b0 = load(b + 8 * step);
  const v128_t b1 = load(b + 8 * step + 4);
#pragma unroll
  for (int m = 0; m < Rows; ++m) {
    const v128_t value = load_splat(a_rows[m] + step);
    sums[m][0] = Madd::madd(value, b0, sums[m][0]);
    sums[m][1] = Madd::madd(value, b1, sums[m][1]);
  }
}

/// y[m, c] = sum_k a[m, k] * b[k, c] + bias[c] (+ y[m, c] when `accumulate`),  m < Rows, c < 8
/// b is packed, 8 floats a row; bias is 8 floats or null. The sum is complete before bias and y are
/// added.
template <class Madd, int Rows>
inline void tile(size_t k_count, const float* a, size_t a_stride, const float* b, const float* bias,
                 bool accumulate, float* y, size_t y_stride) {
  v128_t sums[Rows][2];
  const float* a_rows[Rows];
#pragma unroll
  for (int m = 0; m < Rows; ++m) {
    sums[m][0] = sums[m][1] = wasm_f32x4_const_splat(0);
    a_rows[m] = a + static_cast<size_t>(m) * a_stride;
  }
  // Every step ends in a branch of its own: V8 moves the loads of a block before its arithmetic,
  // and with four steps in one block it runs out of registers (measured: 0.6 of the speed).
  for (size_t k = k_count; k > 0; k -= 4) {
    tile_step<Madd, Rows>(a_rows, 0, b, sums);
    if (k == 1) break;
    tile_step<Madd, Rows>(a_rows, 1, b, sums);
    if (k == 2) break;
    tile_step<Madd, Rows>(a_rows, 2, b, sums);
    if (k == 3) break;
    tile_step<Madd, Rows>(a_rows, 3, b, sums);
    b += 32;
#pragma unroll
    for (int m = 0; m < Rows; ++m) a_rows[m] += 4;
  }
  if (bias != nullptr) {
    const v128_t bias0 = load(bias);
    const v128_t bias1 = load(bias + 4);
#pragma unroll
    for (int m = 0; m < Rows; ++m) {
      sums[m][0] = wasm_f32x4_add(sums[m][0], bias0);
      sums[m][1] = wasm_f32x4_add(sums[m][1], bias1);
    }
  }
  if (accumulate) {
#pragma unroll
    for (int m = 0; m < Rows; ++m) {
      const float* row = y + static_cast<size_t>(m) * y_stride;
      sums[m][0] = wasm_f32x4_add(sums[m][0], load(row));
      sums[m][1] = wasm_f32x4_add(sums[m][1], load(row + 4));
    }
  }
#pragma unroll
  for (int m = 0; m < Rows; ++m) {
    float* row = y + static_cast<size_t>(m) * y_stride;
    store(row, sums[m][0]);
    store(row + 4, sums[m][1]);
  }
}

/// tile() for any number of rows up to kTileRows.
template <class Madd>
__attribute__((noinline)) void tile_rows(int rows, size_t k_count, const float* a, size_t a_stride,
                                         const float* b, const float* bias, bool accumulate,
                                         float* y, size_t y_stride) {
  static_assert(Madd::kTileRows <= 6);
  switch (rows) {
    case 1: return tile<Madd, 1>(k_count, a, a_stride, b, bias, accumulate, y, y_stride);
    case 2: return tile<Madd, 2>(k_count, a, a_stride, b, bias, accumulate, y, y_stride);
    case 3: return tile<Madd, 3>(k_count, a, a_stride, b, bias, accumulate, y, y_stride);
    case 4: return tile<Madd, 4>(k_count, a, a_stride, b, bias, accumulate, y, y_stride);
    case 5: return tile<Madd, 5>(k_count, a, a_stride, b, bias, accumulate, y, y_stride);
    default: return tile<Madd, 6>(k_count, a, a_stride, b, bias, accumulate, y, y_stride);
  }
}

/// tile_rows with `columns` <= 8 of the tile in y: the others are computed and dropped.
template <class Madd>
inline void tile_edge(int rows, size_t columns, size_t k_count, const float* a, size_t a_stride,
                      const float* b, const float* bias, bool accumulate, float* y,
                      size_t y_stride) {
  if (columns == kTileColumns) {
    return tile_rows<Madd>(rows, k_count, a, a_stride, b, bias, accumulate, y, y_stride);
  }
  float whole[Madd::kTileRows * kTileColumns];
  tile_rows<Madd>(rows, k_count, a, a_stride, b, bias, false, whole, kTileColumns);
  for (int m = 0; m < rows; ++m) {
    const float* from = whole + static_cast<size_t>(m) * kTileColumns;
    float* row = y + static_cast<size_t>(m) * y_stride;
    for (size_t c = 0; c < columns; ++c) row[c] = accumulate ? row[c] + from[c] : from[c];
  }
}

/// panel[k, r] = rows[r][k],  k < k_count, r < 8
inline void transpose_to_panel(const float* const rows[kTileColumns], size_t k_count,
                               float* panel) {
  size_t k = 0;
  for (; k + 4 <= k_count; k += 4, panel += 32) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const v128_t r0 = load(rows[4 * half] + k);
      const v128_t r1 = load(rows[4 * half + 1] + k);
      const v128_t r2 = load(rows[4 * half + 2] + k);
      const v128_t r3 = load(rows[4 * half + 3] + k);
      const v128_t low01 = wasm_i32x4_shuffle(r0, r1, 0, 4, 1, 5);
      const v128_t high01 = wasm_i32x4_shuffle(r0, r1, 2, 6, 3, 7);
      const v128_t low23 = wasm_i32x4_shuffle(r2, r3, 0, 4, 1, 5);
      const v128_t high23 = wasm_i32x4_shuffle(r2, r3, 2, 6, 3, 7);
      store(panel + 4 * half, wasm_i64x2_shuffle(low01, low23, 0, 2));
      store(panel + 4 * half + 8, wasm_i64x2_shuffle(low01, low23, 1, 3));
      store(panel + 4 * half + 16, wasm_i64x2_shuffle(high01, high23, 0, 2));
      store(panel + 4 * half + 24, wasm_i64x2_shuffle(high01, high23, 1, 3));
    }
  }
  for (; k < k_count; ++k, panel += 8) {
    for (size_t r = 0; r < kTileColumns; ++r) panel[r] = rows[r][k];
  }
}

}  // namespace susurrus::simd
