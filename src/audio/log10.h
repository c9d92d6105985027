#pragma once
#include <cfloat>

#include "audio/f32x4.h"

namespace susurrus {

/// log10 of four positive normal numbers, within 2 ulp; infinity counts as the largest float.
/// Cephes' log10f: ln(1 + t) by a polynomial on sqrt(1/2) <= 1 + t < sqrt(2), and products with constants split in
/// two so that whole exponents stay exact.
inline F32x4 log10_f32x4(F32x4 x) {
  x = select(x < splat(FLT_MAX), x, splat(FLT_MAX));
  // Subtracting sqrt(1/2)'s bits makes the mantissa range start there instead of at 1.
  const I32x4 bits = reinterpret_cast<I32x4>(x) - 0x3f3504f3;
  const I32x4 exponent = bits >> 23;
  const F32x4 t = reinterpret_cast<F32x4>((bits & 0x007fffff) + 0x3f3504f3) - 1.0f;
  const F32x4 e = __builtin_convertvector(exponent, F32x4);

  F32x4 p = t * 7.0376836292e-2f - 1.1514610310e-1f;
  p = p * t + 1.1676998740e-1f;
  p = p * t - 1.2420140846e-1f;
  p = p * t + 1.4249322787e-1f;
  p = p * t - 1.6668057665e-1f;
  p = p * t + 2.0000714765e-1f;
  p = p * t - 2.4999993993e-1f;
  p = p * t + 3.3333331174e-1f;
  const F32x4 t2 = t * t;
  const F32x4 y = p * t * t2 - t2 * 0.5f;  // ln(1 + t) - t

  constexpr float kLog10EHigh = 4.3359375e-1f;
  constexpr float kLog10ELow = 7.00731903251827651129e-4f;
  constexpr float kLog10Of2High = 3.0078125e-1f;
  constexpr float kLog10Of2Low = 2.48745663981195213739e-4f;
  F32x4 sum = (t + y) * kLog10ELow;
  sum += e * kLog10Of2Low;
  sum += y * kLog10EHigh;
  sum += t * kLog10EHigh;
  return sum + e * kLog10Of2High;
}

}  // namespace susurrus
