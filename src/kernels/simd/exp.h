#pragma once
#include "kernels/simd/vector.h"

namespace susurrus::simd {

/// exp(x) for x <= 0 (softmax subtracts the maximum first); 0 below -87, -inf included.
///
/// x = n ln 2 + r, |r| <= ln 2 / 2; exp(r) by a polynomial of degree 5 fitted to relative error
/// 1.1e-7 (1 and r have coefficient 1); 2^n by adding n to the exponent. Relative error <= 2e-7 in
/// all.
class Exp {
 public:
  Exp() : constants_(opaque(static_cast<const float*>(kConstants))) {}

  template <class Madd>
  v128_t of(v128_t x) const {
    const v128_t in_range = wasm_f32x4_ge(x, load_splat(constants_));
    // Adding 1.5 * 2^23 rounds to an integer and leaves it in the low bits.
    const v128_t shift = load_splat(constants_ + 2);
    const v128_t shifted = wasm_f32x4_add(wasm_f32x4_mul(x, load_splat(constants_ + 1)), shift);
    const v128_t n = wasm_f32x4_sub(shifted, shift);
    v128_t r = Madd::madd(n, load_splat(constants_ + 3), x);
    r = Madd::madd(n, load_splat(constants_ + 4), r);
    v128_t p = Madd::madd(load_splat(constants_ + 5), r, load_splat(constants_ + 6));
    p = Madd::madd(p, r, load_splat(constants_ + 7));
    p = Madd::madd(p, r, load_splat(constants_ + 8));
    const v128_t one = load_splat(constants_ + 9);
    p = Madd::madd(p, r, one);
    p = Madd::madd(p, r, one);
    const v128_t scaled = wasm_i32x4_add(p, wasm_i32x4_shl(shifted, 23));
    return wasm_v128_and(scaled, in_range);
  }

 private:
  static constexpr float kConstants[10] = {
      -87.0f,
      1.44269504f,    // 1 / ln 2
      12582912.0f,    // 1.5 * 2^23
      -0.693359375f,  // -ln 2 in two parts: n times the first is exact
      2.12194440e-4f, 0.00831250101f, 0.0418903306f, 0.166671157f, 0.499992311f, 1.0f,
  };
  const float* constants_;
};

}  // namespace susurrus::simd
