// One or two rows of x against a row of float weights, straight from memory. One weight row at a time: memory is then read
// in order.
#pragma once
#include "kernels/dequantize_row/dequantize_row.h"
#include "kernels/half.h"
#include "kernels/packed_weights/rescaled_halves.h"
#include "kernels/simd/half.h"
#include "kernels/simd/vector.h"

namespace susurrus::simd {

/// The rows of x of one product, and memory for linear()'s few rows: R rows of k_count floats.
struct FewRows {
  size_t k_count;
  const float* x;
  size_t x_stride;
  float* memory;

  const float* row(int r) const { return x + static_cast<size_t>(r) * x_stride; }
};

/// The lanes of partial[r] add up to the product of x row r with f32 weights.
template <class Madd, int R>
inline void dot_floats(const FewRows& rows, const float* w, v128_t partial[R]) {
  v128_t sums[R][4] = {};
  size_t k = 0;
  for (; k + 16 <= rows.k_count; k += 16) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const v128_t weights = load(w + k + 4 * i);
#pragma unroll
      for (int r = 0; r < R; ++r)
        sums[r][i] = Madd::madd(weights, load(rows.row(r) + k + 4 * i), sums[r][i]);
    }
  }
#pragma unroll
  for (int r = 0; r < R; ++r) {
    partial[r] = sum_of_four(sums[r]);
    for (size_t i = k; i < rows.k_count; ++i) {
      partial[r] = wasm_f32x4_add(partial[r], wasm_f32x4_make(w[i] * rows.row(r)[i], 0, 0, 0));
    }
  }
}

/// Rows of f32, or rows that are expanded first: f16 weights that could not be rescaled, which are rare.
template <class Madd, int R>
class FloatDot {
 public:
  FloatDot(const FewRows& rows, Dtype dtype) : rows_(rows), dtype_(dtype) {}
  void operator()(const uint8_t* w, v128_t partial[R]) const {
    if (dtype_ != Dtype::f32) {
      dequantize_row_simd128(dtype_, w, rows_.k_count, rows_.memory);
      w = reinterpret_cast<const uint8_t*>(rows_.memory);
    }
    dot_floats<Madd, R>(rows_, reinterpret_cast<const float*>(w), partial);
  }

 private:
  FewRows rows_;
  Dtype dtype_;
};

/// Eight weights of 16 bits as two vectors of floats times 2^kLowered: those at even places and those at odd ones, since
/// each 32-bit lane holds one of either.
class RaisedHalves {
 public:
  static constexpr float kRescale = 0x1p64f;
  static constexpr float kLower = 0x1p38f;  // 2^(112 - kRescaleBits - 64)

  static float scalar(uint16_t half) { return f32_from_rescaled_half(half); }
  v128_t even(v128_t halves) const { return odd(wasm_i32x4_shl(halves, 16)); }
  v128_t odd(v128_t halves) const {
    return wasm_v128_and(wasm_i32x4_shr(halves, 3), sign_and_magnitude_);
  }

 private:
  v128_t sign_and_magnitude_ = held_u32(0x8FFFE000);
};

class Bf16Halves {
 public:
  static constexpr float kRescale = 1;
  static constexpr float kLower = 1;

  static float scalar(uint16_t half) { return f32_from_bf16(half); }
  v128_t even(v128_t halves) const { return wasm_i32x4_shl(halves, 16); }
  v128_t odd(v128_t halves) const { return wasm_v128_and(halves, upper_); }

 private:
  v128_t upper_ = held_u32(0xFFFF0000);
};

/// Rows of x are prepared once: of every eight values first those at even places, then those at odd ones, times kRescale. So
/// neither the weights, whose exponents are 102 too small, nor products with them are subnormal: a subnormal float costs
/// 130 cycles on x86.
template <class Madd, int R, class Halves>
class HalfDot {
 public:
  explicit HalfDot(const FewRows& rows) : rows_(rows) {
    const v128_t rescale = wasm_f32x4_splat(Halves::kRescale);
    for (int r = 0; r < R; ++r) {
      const float* from = rows.row(r);
      float* to = prepared(r);
      for (size_t k = 0; k + 8 <= rows.k_count; k += 8) {
        const v128_t low = wasm_f32x4_mul(load(from + k), rescale);
        const v128_t high = wasm_f32x4_mul(load(from + k + 4), rescale);
        store(to + k, wasm_i32x4_shuffle(low, high, 0, 2, 4, 6));
        store(to + k + 4, wasm_i32x4_shuffle(low, high, 1, 3, 5, 7));
      }
    }
  }

  void operator()(const uint8_t* w, v128_t partial[R]) const {
    v128_t sums[R][4] = {};
    size_t k = 0;
    for (; k + 16 <= rows_.k_count; k += 16) {
#pragma unroll
      for (int i = 0; i < 4; i += 2) {
        const v128_t halves = load(w + 2 * k + 8 * i);
        const v128_t even = halves_.even(halves);
        const v128_t odd = halves_.odd(halves);
#pragma unroll
        for (int r = 0; r < R; ++r) {
          const float* row = prepared(r) + k + 4 * i;
          sums[r][i] = Madd::madd(even, load(row), sums[r][i]);
          sums[r][i + 1] = Madd::madd(odd, load(row + 4), sums[r][i + 1]);
        }
      }
    }
#pragma unroll
    for (int r = 0; r < R; ++r) {
      partial[r] = wasm_f32x4_mul(sum_of_four(sums[r]), wasm_f32x4_splat(Halves::kLower));
      for (size_t i = k; i < rows_.k_count; ++i) {
        const float product = Halves::scalar(load_u16(w + 2 * i)) * rows_.row(r)[i];
        partial[r] = wasm_f32x4_add(partial[r], wasm_f32x4_make(product, 0, 0, 0));
      }
    }
  }

 private:
  float* prepared(int r) const { return rows_.memory + static_cast<size_t>(r) * rows_.k_count; }

  FewRows rows_;
  Halves halves_;
};

}  // namespace susurrus::simd
