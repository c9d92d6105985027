// Numbers of 16 bits to f32.
#pragma once
#include "kernels/packed_weights/rescaled_halves.h"
#include "kernels/simd/vector.h"

namespace susurrus::simd {

/// Halves to f32, exactly, four at a time: one half in the low 16 bits of each lane; the upper bits do not matter. Every
/// half, subnormals, infinities and NaN included, and without a subnormal f32 on the way (one costs 130 cycles on x86).
inline v128_t floats_from_halves(v128_t halves) {
  const v128_t word = wasm_i32x4_shl(halves, 16);
  const v128_t sign = wasm_v128_and(word, wasm_i32x4_const_splat(INT32_MIN));
  const v128_t magnitude = wasm_i32x4_add(word, word);  // sign shifted out
  // Normal: add 224 to the exponent and multiply by 2^-112, which keeps infinity and NaN.
  const v128_t biased =
      wasm_i32x4_add(wasm_u32x4_shr(magnitude, 4), wasm_i32x4_const_splat(0xE0 << 23));
  const v128_t normal = wasm_f32x4_mul(biased, wasm_f32x4_const_splat(0x1p-112f));
  // Subnormal: the mantissa placed below 0.5, then 0.5 taken away.
  const v128_t placed =
      wasm_v128_or(wasm_u32x4_shr(magnitude, 17), wasm_i32x4_const_splat(126 << 23));
  const v128_t subnormal = wasm_f32x4_sub(placed, wasm_f32x4_const_splat(0.5f));
  const v128_t is_subnormal = wasm_u32x4_lt(magnitude, wasm_i32x4_const_splat(1 << 27));
  return wasm_v128_or(sign, wasm_v128_bitselect(subnormal, normal, is_subnormal));
}

/// y[i] = value of rescaled f16 weight i, i < count.
inline void expand_rescaled_halves(const uint8_t* halves, size_t count, float* y) {
  const v128_t kept = held_u32(0x8FFFE000);
  const v128_t factor = wasm_f32x4_splat(opaque(0x1p102f));  // 2^(127 - 15 - kRescaleBits)
  const auto expand = [&](v128_t extended) {
    return wasm_f32x4_mul(wasm_v128_and(wasm_i32x4_shl(extended, 13), kept), factor);
  };
  size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const v128_t eight = load(halves + 2 * i);
    store(y + i, expand(wasm_i32x4_extend_low_i16x8(eight)));
    store(y + i + 4, expand(wasm_i32x4_extend_high_i16x8(eight)));
  }
  for (; i < count; ++i) y[i] = f32_from_rescaled_half(load_u16(halves + 2 * i));
}

/// Eight bf16 to two vectors of f32.
inline v128_t bf16_low(v128_t halves) {
  return wasm_i32x4_shl(wasm_i32x4_extend_low_i16x8(halves), 16);
}
inline v128_t bf16_high(v128_t halves) {
  return wasm_i32x4_shl(wasm_i32x4_extend_high_i16x8(halves), 16);
}

}  // namespace susurrus::simd
