#include <cstring>

#include "kernels/dequantize_row/dequantize_row.h"
#include "kernels/half.h"
#include "kernels/simd/blocks.h"
#include "kernels/simd/half.h"

namespace susurrus {
namespace {

void dequantize_f16(const uint8_t* source, size_t count, float* y) {
  size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const v128_t halves = simd::load(source + 2 * i);
    simd::store(y + i, simd::floats_from_halves(wasm_u32x4_extend_low_u16x8(halves)));
    simd::store(y + i + 4, simd::floats_from_halves(wasm_u32x4_extend_high_u16x8(halves)));
  }
  for (; i < count; ++i) y[i] = f32_from_f16(load_u16(source + 2 * i));
}

void dequantize_bf16(const uint8_t* source, size_t count, float* y) {
  size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const v128_t halves = simd::load(source + 2 * i);
    simd::store(y + i, simd::bf16_low(halves));
    simd::store(y + i + 4, simd::bf16_high(halves));
  }
  for (; i < count; ++i) y[i] = f32_from_bf16(load_u16(source + 2 * i));
}

template <class Blocks>
void dequantize_blocks(const uint8_t* source, size_t count, float* y) {
  constexpr BlockLayout kLayout = Blocks::kLayout;
  const Blocks blocks;
  for (size_t i = 0; i < count; i += kBlockValues, source += kLayout.byte_count) {
    v128_t q[8];
    blocks.expand(source, q);
    const v128_t d = wasm_f32x4_splat(f32_from_f16(load_u16(source)));
    if constexpr (kLayout.m != BlockLayout::kAbsent) {
      const v128_t m = wasm_f32x4_splat(f32_from_f16(load_u16(source + kLayout.m)));
      for (size_t j = 0; j < 8; ++j)
        simd::store(y + i + 4 * j, wasm_f32x4_add(wasm_f32x4_mul(d, q[j]), m));
    } else {
      for (size_t j = 0; j < 8; ++j) simd::store(y + i + 4 * j, wasm_f32x4_mul(d, q[j]));
    }
  }
}

}  // namespace

void dequantize_row_simd128(Dtype dtype, const uint8_t* source, size_t count, float* y) {
  switch (dtype) {
    case Dtype::f32: std::memcpy(y, source, count * sizeof(float)); return;
    case Dtype::f16: return dequantize_f16(source, count, y);
    case Dtype::bf16: return dequantize_bf16(source, count, y);
    case Dtype::q8_0: return dequantize_blocks<simd::Q80Blocks>(source, count, y);
    case Dtype::q4_0: return dequantize_blocks<simd::Q40Blocks>(source, count, y);
    case Dtype::q4_1: return dequantize_blocks<simd::Q41Blocks>(source, count, y);
    case Dtype::q5_0: return dequantize_blocks<simd::Q50Blocks>(source, count, y);
    case Dtype::q5_1: return dequantize_blocks<simd::Q51Blocks>(source, count, y);
    default: std::memset(y, 0, count * sizeof(float));
  }
}

}  // namespace susurrus
