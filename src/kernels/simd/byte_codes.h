// Rows of activations as integer codes with a scale for every 32 of them, and the products of such codes with the
// integers of weights.
#pragma once
#include <algorithm>
#include <limits>

#include "kernels/quantized_blocks.h"
#include "kernels/scratch_layout.h"
#include "kernels/simd/vector.h"

namespace susurrus::simd {

/// x = scale * (code - offset), |code - offset| <= limit
struct ByteCoding {
  int32_t offset;
  float limit;
  /// Every block has a second term, not only those with a towering value.
  bool has_two_terms = false;
};

/// 16-bit codes, multiplied in pairs.
struct PairDot {
  using Code = int16_t;
  /// A block whose largest value is so many times that of a common block needs a second term.
  static constexpr float kTowering = 16.0f;
  static constexpr size_t kGroup = 2;
  static constexpr bool kHasOffset = false;

  static ByteCoding coding() { return {0, 32767.0f}; }
  static v128_t weights_low(const uint8_t* q) { return wasm_i16x8_load8x8(q); }
  static v128_t weights_high(const uint8_t* q) { return wasm_i16x8_load8x8(q + 8); }
  static v128_t dot(v128_t weights, v128_t codes, v128_t sums) {
    return wasm_i32x4_add(sums, wasm_i32x4_dot_i16x8(weights, codes));
  }
  /// Four vectors of rounded values, without offset, to sixteen codes.
  static void store_codes(const v128_t q[4], v128_t, Code* codes) {
    wasm_v128_store(codes, wasm_i16x8_narrow_i32x4(q[0], q[1]));
    wasm_v128_store(codes + 8, wasm_i16x8_narrow_i32x4(q[2], q[3]));
  }
};

#ifdef __wasm_relaxed_simd__
/// 8-bit codes, multiplied in fours. What the instruction does beyond seven bits is the machine's choice, so it is asked.
struct QuadDot {
  using Code = uint8_t;
  static constexpr float kTowering = 6.0f;
  static constexpr size_t kGroup = 4;
  static constexpr bool kHasOffset = true;

  /// Of four weights and four codes that are all alike.
  static int32_t product(int weight, int code) {
    return wasm_i32x4_extract_lane(
        wasm_i32x4_relaxed_dot_i8x16_i7x16_add(
            wasm_i8x16_splat(static_cast<int8_t>(opaque(weight))),
            wasm_i8x16_splat(static_cast<int8_t>(opaque(code))), wasm_i32x4_const_splat(0)),
        0);
  }
  static ByteCoding coding() {
    // Unsigned bytes, sums not cut at 16 bits: x86 with VNNI.
    if (product(127, 255) == 4 * 127 * 255) return {128, 127.0f};
    // Signed bytes: ARM.
    if (product(127, -1) == -4 * 127 && product(-128, -128) == 4 * 128 * 128) return {0, 127.0f};
    return seven_bits();
  }
  /// What every machine computes alike.
  static ByteCoding seven_bits() { return {64, 63.0f}; }

  static v128_t weights_low(const uint8_t* q) { return load(q); }
  static v128_t weights_high(const uint8_t* q) { return load(q + 16); }
  static v128_t dot(v128_t weights, v128_t codes, v128_t sums) {
    return wasm_i32x4_relaxed_dot_i8x16_i7x16_add(weights, codes, sums);
  }
  static void store_codes(const v128_t q[4], v128_t offset, Code* codes) {
    const v128_t bytes = wasm_i8x16_narrow_i16x8(wasm_i16x8_narrow_i32x4(q[0], q[1]),
                                                 wasm_i16x8_narrow_i32x4(q[2], q[3]));
    wasm_v128_store(codes, wasm_i8x16_add(bytes, offset));
  }
};
#endif

/// Up to six rows as codes. A term is a block of 32 columns; where one value towers over the rest of its row, what the
/// first term's rounding left of the block makes a second term. Rows that need none have a scale of zero there, so
/// that a row's result does not depend on its neighbours.
struct CodeTile {
  size_t rows;
  size_t term_count;
  const uint32_t* blocks;  // [term]
  const float* scales;     // [term][rows]
  const float* sums;  // [row][blocks rounded up to 4]: of the values, for weights with a minimum
  const void* codes;  // [term][rows][32]
};

/// Of magnitudes, whose order is that of their bits. A NaN, which is above all others, comes through.
inline v128_t largest_magnitude(v128_t largest, v128_t value) {
  return wasm_i32x4_max(largest, wasm_f32x4_abs(value));
}
inline float largest_lane(v128_t a) {
  a = wasm_i32x4_max(a, wasm_i32x4_shuffle(a, a, 2, 3, 2, 3));
  a = wasm_i32x4_max(a, wasm_i32x4_shuffle(a, a, 1, 1, 1, 1));
  return wasm_f32x4_extract_lane(a, 0);
}

/// Per row and block while it is coded.
struct BlockMeasure {
  v128_t largest;  // magnitude
  v128_t sum;
};
inline BlockMeasure measure_block(const float* x) {
  v128_t value = load(x);
  BlockMeasure m{wasm_f32x4_abs(value), value};
#pragma unroll
  for (size_t j = 4; j < kBlockValues; j += 4) {
    value = load(x + j);
    m.largest = largest_magnitude(m.largest, value);
    m.sum = wasm_f32x4_add(m.sum, value);
  }
  return m;
}

/// The largest value of a common block of a row: the mean of the lower ones, three times over. What is small beside a
/// towering value may be all that tells one row from another, and must not be lost in its rounding.
inline float common_largest(const float* largest, size_t count, size_t stride) {
  float common = std::numeric_limits<float>::infinity();
  for (int pass = 0; pass < 3; ++pass) {
    float sum = 0;
    size_t lower = 0;
    for (size_t i = 0; i < count; ++i) {
      const float value = largest[i * stride];
      if (value > common) continue;
      sum += value;
      ++lower;
    }
    common = sum / static_cast<float>(lower);
  }
  return common;
}

/// Adding 1.5 * 2^23 rounds to an integer and leaves it in the low bits.
class Rounding {
 public:
  v128_t shifted(v128_t value) const { return wasm_f32x4_add(value, shift_); }
  v128_t as_float(v128_t shifted) const { return wasm_f32x4_sub(shifted, shift_); }
  v128_t as_integer(v128_t shifted) const { return wasm_i32x4_sub(shifted, shift_); }

 private:
  v128_t shift_ = held_u32(0x4B400000);
};

/// codes = round(x * inverse); of a second term, round((x * inverse - round(x * inverse)) * second)
template <class Dot, bool IsSecond>
inline void code_block(const Rounding& rounding, const float* x, float inverse, v128_t second,
                       v128_t offset, typename Dot::Code* codes) {
  const v128_t factor = wasm_f32x4_splat(inverse);
  for (size_t j = 0; j < kBlockValues; j += 16) {
    v128_t q[4];
#pragma unroll
    for (size_t i = 0; i < 4; ++i) {
      const v128_t value = wasm_f32x4_mul(load(x + j + 4 * i), factor);
      v128_t shifted = rounding.shifted(value);
      if constexpr (IsSecond) {
        const v128_t rest = wasm_f32x4_sub(value, rounding.as_float(shifted));
        shifted = rounding.shifted(wasm_f32x4_mul(rest, second));
      }
      q[i] = rounding.as_integer(shifted);
    }
    Dot::store_codes(q, offset, codes + j);
  }
}

/// Codes rows of x (k_count a multiple of 32) into `memory`, CodeTileLayout(k_count).floats floats.
template <class Dot>
__attribute__((noinline)) CodeTile code_rows(const ByteCoding& coding, size_t rows, size_t k_count,
                                             const float* x, size_t x_stride, float* memory) {
  using Code = typename Dot::Code;
  const CodeTileLayout layout(k_count);
  const size_t block_count = k_count / kBlockValues;
  const size_t sum_stride = round_up(block_count, 4);
  auto* blocks = reinterpret_cast<uint32_t*>(memory);
  float* scales = memory + layout.scales;
  float* sums = memory + layout.sums;
  auto* codes = reinterpret_cast<Code*>(memory + layout.codes);

  // The largest values wait behind the scales: terms are written no faster than they are read.
  float* largest = scales + block_count * rows;
  float tower[kCodeRows];
  for (size_t r = 0; r < rows; ++r) {
    for (size_t b = 0; b < block_count; ++b) {
      const BlockMeasure m = measure_block(x + r * x_stride + b * kBlockValues);
      largest[b * rows + r] = largest_lane(m.largest);
      sums[r * sum_stride + b] = sum_lanes(m.sum);
    }
    std::fill(sums + r * sum_stride + block_count, sums + (r + 1) * sum_stride, 0.0f);
    tower[r] = Dot::kTowering * common_largest(largest + r, block_count, rows);
  }
  const Rounding rounding;
  const v128_t offset = wasm_i8x16_splat(static_cast<int8_t>(coding.offset));
  const float finer = 2 * coding.limit;
  const v128_t second = wasm_f32x4_splat(finer);
  size_t term = 0;
  for (size_t b = 0; b < block_count; ++b) {
    bool has_second = false;
    float inverse[kCodeRows];
    float second_scales[kCodeRows];
    blocks[term] = static_cast<uint32_t>(b);
    for (size_t r = 0; r < rows; ++r) {
      const float most = largest[b * rows + r];
      const bool needs_second = coding.has_two_terms || most > tower[r];
      has_second |= needs_second;
      inverse[r] = most > 0 ? coding.limit / most : 0.0f;
      scales[term * rows + r] = most / coding.limit;
      second_scales[r] = needs_second ? most / (coding.limit * finer) : 0.0f;
      code_block<Dot, false>(rounding, x + r * x_stride + b * kBlockValues, inverse[r], second,
                             offset, codes + (term * rows + r) * kBlockValues);
    }
    ++term;
    if (!has_second) continue;
    blocks[term] = static_cast<uint32_t>(b);
    for (size_t r = 0; r < rows; ++r) {
      scales[term * rows + r] = second_scales[r];
      code_block<Dot, true>(rounding, x + r * x_stride + b * kBlockValues, inverse[r], second,
                            offset, codes + (term * rows + r) * kBlockValues);
    }
    ++term;
  }
  return {rows, term, blocks, scales, sums, codes};
}

}  // namespace susurrus::simd
