#pragma once
#include "kernels/simd/vector.h"

namespace susurrus::simd {

/// Halves to f32, exactly, four at a time.
class HalfConverter {
 public:
  /// `halves` has one half in the low 16 bits of each lane; the upper bits do not matter. Every
  /// half, subnormals, infinities and NaN included, and without a subnormal f32 on the way (one
  /// costs 130 cycles on x86).
  v128_t exact(v128_t halves) const {
    const v128_t word = wasm_i32x4_shl(halves, 16);
    const v128_t sign = wasm_v128_and(word, wasm_i32x4_const_splat(INT32_MIN));
    const v128_t magnitude = wasm_i32x4_add(word, word);  // sign shifted out
    // Normal: exponent raised by 224 and brought down by 2^-112, which leaves infinity and NaN what
    // they are.
    const v128_t raised =
        wasm_i32x4_add(wasm_u32x4_shr(magnitude, 4), wasm_i32x4_const_splat(0xE0 << 23));
    const v128_t normal = wasm_f32x4_mul(raised, wasm_f32x4_const_splat(0x1p-112f));
    // Subnormal: the mantissa placed below 0.5, then 0.5 taken away.
    const v128_t placed =
        wasm_v128_or(wasm_u32x4_shr(magnitude, 17), wasm_i32x4_const_splat(126 << 23));
    const v128_t subnormal = wasm_f32x4_sub(placed, wasm_f32x4_const_splat(0.5f));
    const v128_t is_subnormal = wasm_u32x4_lt(magnitude, wasm_i32x4_const_splat(1 << 27));
    return wasm_v128_or(sign, wasm_v128_bitselect(subnormal, normal, is_subnormal));
  }

  /// Orders eight halves such that those with exponent 0 or 31 come out above last_normal_,
  /// as signed integers.
  v128_t class_of(v128_t halves) const {
    return wasm_i16x8_add(wasm_i16x8_add(halves, halves), class_shift_);
  }
  bool any_special(v128_t classes) const {
    return wasm_v128_any_true(wasm_i16x8_gt(classes, last_normal_));
  }

  /// Of sign-extended halves that are not special.
  v128_t normal(v128_t extended) const {
    const v128_t placed = wasm_v128_and(wasm_i32x4_shl(extended, 13), sign_and_magnitude_);
    return wasm_i32x4_add(placed, exponent_shift_);
  }

 private:
  v128_t class_shift_ = held_u32(0x78007800);
  v128_t last_normal_ = held_u32(0x6FFF6FFF);
  v128_t sign_and_magnitude_ = held_u32(0x8FFFE000);
  v128_t exponent_shift_ = held_u32((127 - 15) << 23);
};

/// Eight bf16 to two vectors of f32.
inline v128_t bf16_low(v128_t halves) {
  return wasm_i32x4_shl(wasm_i32x4_extend_low_i16x8(halves), 16);
}
inline v128_t bf16_high(v128_t halves) {
  return wasm_i32x4_shl(wasm_i32x4_extend_high_i16x8(halves), 16);
}

}  // namespace susurrus::simd
