// The quantised types: 32 stored integers of one block to eight vectors of f32, not yet scaled.
#pragma once
#include "kernels/quantized_blocks.h"
#include "kernels/simd/vector.h"

namespace susurrus::simd {

/// Sixteen signed bytes to four vectors.
inline void floats_from_i8(v128_t bytes, v128_t* out) {
  const v128_t low = wasm_i16x8_extend_low_i8x16(bytes);
  const v128_t high = wasm_i16x8_extend_high_i8x16(bytes);
  out[0] = wasm_f32x4_convert_i32x4(wasm_i32x4_extend_low_i16x8(low));
  out[1] = wasm_f32x4_convert_i32x4(wasm_i32x4_extend_high_i16x8(low));
  out[2] = wasm_f32x4_convert_i32x4(wasm_i32x4_extend_low_i16x8(high));
  out[3] = wasm_f32x4_convert_i32x4(wasm_i32x4_extend_high_i16x8(high));
}

/// value = d * q (+ m): what expand() leaves to do.
struct Q80Blocks {
  static constexpr BlockLayout kLayout = kQ80Layout;

  void expand(const uint8_t* block, v128_t q[8]) const {
    floats_from_i8(load(block + kLayout.qs), q);
    floats_from_i8(load(block + kLayout.qs + 16), q + 4);
  }
};

/// `Offset` is what is subtracted from the stored integer: 8 for q4_0, 16 for q5_0, nothing where
/// there is an m.
template <const BlockLayout& Layout, int Offset>
class NibbleBlocks {
 public:
  static constexpr BlockLayout kLayout = Layout;

  void expand(const uint8_t* block, v128_t q[8]) const {
    const v128_t bytes = load(block + kLayout.qs);
    v128_t low = wasm_v128_and(bytes, nibble_);
    v128_t high = wasm_v128_and(wasm_u16x8_shr(bytes, 4), nibble_);
    if constexpr (kLayout.qh != BlockLayout::kAbsent) {
      const v128_t qh = wasm_v128_load32_splat(block + kLayout.qh);
      low = wasm_v128_or(low, fifth_bits(wasm_i8x16_swizzle(qh, bytes_0_1_)));
      high = wasm_v128_or(high, fifth_bits(wasm_i8x16_swizzle(qh, bytes_2_3_)));
    }
    if constexpr (Offset != 0) {
      low = wasm_i8x16_sub(low, offset_);
      high = wasm_i8x16_sub(high, offset_);
    }
    floats_from_i8(low, q);
    floats_from_i8(high, q + 4);
  }

 private:
  v128_t fifth_bits(v128_t repeated) const {
    const v128_t is_set = wasm_i8x16_eq(wasm_v128_and(repeated, bit_of_lane_), bit_of_lane_);
    return wasm_v128_and(is_set, sixteen_);
  }

  v128_t nibble_ = held_u32(0x0F0F0F0F);
  v128_t offset_ = held_u32(0x01010101u * static_cast<uint32_t>(Offset));
  v128_t sixteen_ = held_u32(0x10101010);
  v128_t bit_of_lane_ = wasm_u64x2_splat(opaque(uint64_t{0x8040201008040201}));
  v128_t bytes_0_1_ = wasm_u64x2_make(opaque(uint64_t{0}), opaque(uint64_t{0x0101010101010101}));
  v128_t bytes_2_3_ =
      wasm_u64x2_make(opaque(uint64_t{0x0202020202020202}), opaque(uint64_t{0x0303030303030303}));
};

using Q40Blocks = NibbleBlocks<kQ40Layout, 8>;
using Q41Blocks = NibbleBlocks<kQ41Layout, 0>;
using Q50Blocks = NibbleBlocks<kQ50Layout, 16>;
using Q51Blocks = NibbleBlocks<kQ51Layout, 0>;

}  // namespace susurrus::simd
