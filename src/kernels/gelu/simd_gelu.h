#pragma once
#include "kernels/simd/vector.h"

namespace susurrus::simd {

/// gelu(x) = max(x, 0) - a Phi(-a),  a = |x|: nothing cancels, the second term is at most 0.17.
///
/// Phi(-a) = 1 / (2 p(a)^8), p of degree 8 fitted to an absolute error of 5e-8 in a Phi(-a). With
/// rounding the error is at most 2e-7 + 2^-23 |exact|.
class Gelu {
 public:
  Gelu() : constants_(opaque(static_cast<const float*>(kConstants))) {}

  template <class Madd>
  v128_t of(v128_t x) const {
    // Beyond 10 the second term is below 1e-20; the limit keeps inf * 0 away.
    const v128_t a = wasm_f32x4_pmin(wasm_f32x4_abs(x), load_splat(constants_ + 9));
    v128_t p = Madd::madd(load_splat(constants_), a, load_splat(constants_ + 1));
#pragma unroll
    for (int i = 2; i < 9; ++i) p = Madd::madd(p, a, load_splat(constants_ + i));
    p = wasm_f32x4_mul(p, p);
    p = wasm_f32x4_mul(p, p);
    p = wasm_f32x4_mul(p, p);
    const v128_t tail = wasm_f32x4_div(wasm_f32x4_mul(a, load_splat(constants_ + 10)), p);
    return wasm_f32x4_sub(wasm_f32x4_pmax(x, wasm_f32x4_const_splat(0)), tail);
  }

 private:
  static constexpr float kConstants[11] = {
      2.93249855e-06f,
      -1.67472754e-05f,
      9.75824805e-05f,
      0.000111350091f,
      0.000980663463f,
      0.0085916305f,
      0.0447888002f,
      0.0997324958f,
      1.0f,
      10.0f,
      0.5f,
  };
  const float* constants_;
};

template <class Madd>
inline void gelu(size_t count, const float* x, float* y) {
  const Gelu function;
  size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const v128_t y0 = function.of<Madd>(load(x + i));
    const v128_t y1 = function.of<Madd>(load(x + i + 4));
    store(y + i, y0);
    store(y + i + 4, y1);
  }
  for (; i < count; ++i) {
    y[i] = wasm_f32x4_extract_lane(function.of<Madd>(wasm_f32x4_splat(x[i])), 0);
  }
}

}  // namespace susurrus::simd
