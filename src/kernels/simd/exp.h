#pragma once
#include "kernels/simd/vector.h"

namespace susurrus::simd {

/// exp(x) for x <= 0 (softmax subtracts the maximum first); 0 below -87, -inf included.
///
/// x / ln 2 = n + r, |r| <= 1/2; 2^r by a polynomial of degree 5 fitted to relative error 1e-7; 2^n by adding n to the
/// exponent. Relative error <= 2e-7 + 2^-23 |x|: x / ln 2 is rounded to f32.
class Exp {
 public:
  Exp() : constants_(opaque(static_cast<const float*>(kConstants))) {}

  template <class Madd>
  v128_t of(v128_t x) const {
    const v128_t in_range = wasm_f32x4_ge(x, load_splat(constants_));
    const v128_t per_ln2 = load_splat(constants_ + 1);
    // Adding 1.5 * 2^23 rounds to an integer and leaves it in the low bits.
    const v128_t shift = load_splat(constants_ + 2);
    const v128_t shifted = Madd::madd(x, per_ln2, shift);
    const v128_t r = Madd::madd(x, per_ln2, wasm_f32x4_sub(shift, shifted));
    v128_t p = Madd::madd(load_splat(constants_ + 3), r, load_splat(constants_ + 4));
#pragma unroll
    for (int i = 5; i < 9; ++i) p = Madd::madd(p, r, load_splat(constants_ + i));
    const v128_t scaled = wasm_i32x4_add(p, wasm_i32x4_shl(shifted, 23));
    return wasm_v128_and(scaled, in_range);
  }

 private:
  static constexpr float kConstants[9] = {
      -87.0f,
      1.44269504f,  // 1 / ln 2
      12582912.0f,  // 1.5 * 2^23
      0.00132646458f, 0.00967157632f, 0.0555073433f, 0.240222394f, 0.693146944f, 1.0f,
  };
  const float* constants_;
};

}  // namespace susurrus::simd
