// One or two rows of x against a row of f32, f16 or bf16 weights, straight from memory.
#pragma once
#include "kernels/half.h"
#include "kernels/simd/half.h"
#include "kernels/simd/vector.h"

namespace susurrus::simd {

/// How eight stored weights become floats. A `special` chunk needs exact conversion; most types
/// have none.
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
  /// Whether one of sixteen halves needs exact conversion.
  bool any_special(const uint8_t* weights) const {
    return converter.any_special(
        wasm_i16x8_max(converter.class_of(load(weights)), converter.class_of(load(weights + 16))));
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

/// sums[r] += x[r, 0..16) * w[0..16)
template <class Madd, bool Exact, int R, class Rows>
inline void add_products(const Rows& rows, const uint8_t* w, const float* x, size_t x_stride,
                         v128_t sums[R][4]) {
#pragma unroll
  for (int i = 0; i < 4; i += 2) {
    v128_t low;
    v128_t high;
    rows.template expand<Exact>(w + 4 * i * static_cast<int>(Rows::kBytes), low, high);
#pragma unroll
    for (int r = 0; r < R; ++r) {
      const float* row = x + static_cast<size_t>(r) * x_stride + 4 * i;
      sums[r][i] = Madd::madd(low, load(row), sums[r][i]);
      sums[r][i + 1] = Madd::madd(high, load(row + 4), sums[r][i + 1]);
    }
  }
}

/// The lanes of partial[r] add up to the product of x row r with the weights. One weight row at a
/// time: memory is then read in order.
template <class Madd, int R, class Rows>
inline void dot_floats(const Rows& rows, size_t k_count, const uint8_t* w, const float* x,
                       size_t x_stride, v128_t partial[R]) {
  v128_t sums[R][4];
#pragma unroll
  for (int r = 0; r < R; ++r) {
#pragma unroll
    for (int i = 0; i < 4; ++i) sums[r][i] = wasm_f32x4_const_splat(0);
  }
  size_t k = 0;
  for (; k + 16 <= k_count; k += 16, w += 16 * Rows::kBytes) {
    if constexpr (Rows::kHasSpecial) {
      if (__builtin_expect(rows.any_special(w), 0)) {
        add_products<Madd, true, R>(rows, w, x + k, x_stride, sums);
        continue;
      }
    }
    add_products<Madd, false, R>(rows, w, x + k, x_stride, sums);
  }
#pragma unroll
  for (int r = 0; r < R; ++r) {
    partial[r] = wasm_f32x4_add(wasm_f32x4_add(sums[r][0], sums[r][1]),
                                wasm_f32x4_add(sums[r][2], sums[r][3]));
  }
  for (; k < k_count; ++k, w += Rows::kBytes) {
    const float weight = Rows::scalar(w);
    for (int r = 0; r < R; ++r) {
      const float product = weight * x[static_cast<size_t>(r) * x_stride + k];
      partial[r] = wasm_f32x4_add(partial[r], wasm_f32x4_make(product, 0, 0, 0));
    }
  }
}

}  // namespace susurrus::simd
