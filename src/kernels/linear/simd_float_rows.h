// One or two rows of x against f32, f16 or bf16 weights, straight from memory.
#pragma once
#include "kernels/half.h"
#include "kernels/simd/half.h"
#include "kernels/simd/vector.h"

namespace susurrus::simd {

/// How eight weights of four rows become floats. `special` chunks need exact conversion; most types have none.
struct F32Rows {
  static constexpr size_t kBytes = 4;
  static constexpr bool kHasSpecial = false;

  static float scalar(const uint8_t* weight) {
    float value;
    __builtin_memcpy(&value, weight, sizeof value);
    return value;
  }
  template <bool>
  static void expand(const uint8_t* weights, v128_t& low, v128_t& high) {
    low = load(weights);
    high = load(weights + 16);
  }
};

struct Bf16Rows {
  static constexpr size_t kBytes = 2;
  static constexpr bool kHasSpecial = false;

  static float scalar(const uint8_t* weight) { return f32_from_bf16(load_u16(weight)); }
  template <bool>
  static void expand(const uint8_t* weights, v128_t& low, v128_t& high) {
    const v128_t halves = load(weights);
    low = bf16_low(halves);
    high = bf16_high(halves);
  }
};

struct F16Rows {
  static constexpr size_t kBytes = 2;
  static constexpr bool kHasSpecial = true;

  static float scalar(const uint8_t* weight) { return f32_from_f16(load_u16(weight)); }
  bool any_special(const uint8_t* const w[4], size_t offset) const {
    v128_t classes = converter.class_of(load(w[0] + offset));
#pragma unroll
    for (int i = 1; i < 4; ++i) classes = wasm_i16x8_max(classes, converter.class_of(load(w[i] + offset)));
    return converter.any_special(classes);
  }
  template <bool Exact>
  void expand(const uint8_t* weights, v128_t& low, v128_t& high) const {
    const v128_t halves = load(weights);
    low = wasm_i32x4_extend_low_i16x8(halves);
    high = wasm_i32x4_extend_high_i16x8(halves);
    low = Exact ? converter.exact(low) : converter.normal(low);
    high = Exact ? converter.exact(high) : converter.normal(high);
  }

  HalfConverter converter;
};

/// sums[r][i] += x[r, 0..8) * w[i]; a row alone keeps two sums for each weight row, as one chain of additions is slower
/// than the memory.
template <class Madd, bool Exact, int R, class Rows>
inline void add_products(const Rows& rows, const uint8_t* const w[4], size_t offset, const v128_t x[R][2],
                         v128_t sums[R][4][2]) {
  constexpr int kHigh = R == 1 ? 1 : 0;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    v128_t low;
    v128_t high;
    rows.template expand<Exact>(w[i] + offset, low, high);
#pragma unroll
    for (int r = 0; r < R; ++r) {
      sums[r][i][0] = Madd::madd(x[r][0], low, sums[r][i][0]);
      sums[r][i][kHigh] = Madd::madd(x[r][1], high, sums[r][i][kHigh]);
    }
  }
}

/// result[r] = the products of x row r with the weight rows w[0..4).
template <class Madd, int R, class Rows>
inline void dot_floats(const Rows& rows, size_t k_count, const uint8_t* const w[4], const float* x, size_t x_stride,
                       v128_t result[R]) {
  v128_t sums[R][4][2];
#pragma unroll
  for (int r = 0; r < R; ++r) {
#pragma unroll
    for (int i = 0; i < 4; ++i) sums[r][i][0] = sums[r][i][1] = wasm_f32x4_const_splat(0);
  }
  size_t k = 0;
  for (; k + 8 <= k_count; k += 8) {
    v128_t values[R][2];
#pragma unroll
    for (int r = 0; r < R; ++r) {
      values[r][0] = load(x + static_cast<size_t>(r) * x_stride + k);
      values[r][1] = load(x + static_cast<size_t>(r) * x_stride + k + 4);
    }
    if constexpr (Rows::kHasSpecial) {
      if (__builtin_expect(rows.any_special(w, k * Rows::kBytes), 0)) {
        add_products<Madd, true, R>(rows, w, k * Rows::kBytes, values, sums);
        continue;
      }
    }
    add_products<Madd, false, R>(rows, w, k * Rows::kBytes, values, sums);
  }
#pragma unroll
  for (int r = 0; r < R; ++r) {
    if constexpr (R == 1) {
#pragma unroll
      for (int i = 0; i < 4; ++i) sums[r][i][0] = wasm_f32x4_add(sums[r][i][0], sums[r][i][1]);
    }
    result[r] = sum_each(sums[r][0][0], sums[r][1][0], sums[r][2][0], sums[r][3][0]);
  }
  for (; k < k_count; ++k) {
    const v128_t weights =
        wasm_f32x4_make(Rows::scalar(w[0] + k * Rows::kBytes), Rows::scalar(w[1] + k * Rows::kBytes),
                        Rows::scalar(w[2] + k * Rows::kBytes), Rows::scalar(w[3] + k * Rows::kBytes));
    for (int r = 0; r < R; ++r) {
      result[r] = Madd::madd(load_splat(x + static_cast<size_t>(r) * x_stride + k), weights, result[r]);
    }
  }
}

}  // namespace susurrus::simd
