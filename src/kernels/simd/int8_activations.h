// Activations quantised to integers, with one scale for each block of 32 values, and their dot products with integer
// weights. int8 where the relaxed dot product exists (QuadDot); plain SIMD keeps 16 bits, since it multiplies those (PairDot).
#pragma once
#include <algorithm>
#include <limits>

#include "kernels/quantized_blocks.h"
#include "kernels/scratch_layout.h"
#include "kernels/simd/vector.h"

namespace susurrus::simd {

/// x = scale * (q - offset), |q - offset| <= limit
struct QuantizationParams {
  int32_t offset;
  float limit;
  /// Every block has a second term, not only those with an outlier.
  bool has_two_terms = false;
};

struct WidePairDot;

/// int16 activations, multiplied in pairs.
struct PairDot {
  using Activation = int16_t;
  /// The variant for weights already widened to int16.
  using Wide = WidePairDot;
  /// A block needs a second term if its largest value is more than kOutlier times that of a typical block.
  static constexpr float kOutlier = 16.0f;
  static constexpr size_t kGroup = 2;
  static constexpr size_t kWeightBytes = 1;
  static constexpr bool kHasOffset = false;

  static QuantizationParams params() { return {0, 32767.0f}; }
  static v128_t weights_low(const uint8_t* q) { return wasm_i16x8_load8x8(q); }
  static v128_t weights_high(const uint8_t* q) { return wasm_i16x8_load8x8(q + 8); }
  static v128_t dot(v128_t weights, v128_t activations, v128_t sums) {
    return wasm_i32x4_add(sums, wasm_i32x4_dot_i16x8(weights, activations));
  }
  /// Four vectors of rounded values, without offset, to sixteen activations.
  static void store_quantized(const v128_t q[4], v128_t, Activation* activations) {
    wasm_v128_store(activations, wasm_i16x8_narrow_i32x4(q[0], q[1]));
    wasm_v128_store(activations + 8, wasm_i16x8_narrow_i32x4(q[2], q[3]));
  }
};

/// PairDot with 16-bit weights.
struct WidePairDot : PairDot {
  static constexpr size_t kWeightBytes = 2;
  static v128_t weights_low(const uint8_t* q) { return load(q); }
  static v128_t weights_high(const uint8_t* q) { return load(q + 16); }
};

#ifdef __wasm_relaxed_simd__
/// int8 activations, multiplied in fours. Beyond seven bits the instruction's result depends on the machine, so params()
/// probes it.
struct QuadDot {
  using Activation = uint8_t;
  using Wide = QuadDot;
  static constexpr float kOutlier = 6.0f;
  static constexpr size_t kGroup = 4;
  static constexpr size_t kWeightBytes = 1;
  static constexpr bool kHasOffset = true;

  /// Dot product of four equal weights and four equal activations.
  static int32_t product(int weight, int activation) {
    return wasm_i32x4_extract_lane(
        wasm_i32x4_relaxed_dot_i8x16_i7x16_add(
            wasm_i8x16_splat(static_cast<int8_t>(opaque(weight))),
            wasm_i8x16_splat(static_cast<int8_t>(opaque(activation))), wasm_i32x4_const_splat(0)),
        0);
  }
  static QuantizationParams params() {
    // Unsigned bytes, sums not cut at 16 bits: x86 with VNNI.
    if (product(127, 255) == 4 * 127 * 255) return {128, 127.0f};
    // Signed bytes: ARM.
    if (product(127, -1) == -4 * 127 && product(-128, -128) == 4 * 128 * 128) return {0, 127.0f};
    return seven_bits();
  }
  /// What every machine computes alike.
  static QuantizationParams seven_bits() { return {64, 63.0f}; }

  static v128_t weights_low(const uint8_t* q) { return load(q); }
  static v128_t weights_high(const uint8_t* q) { return load(q + 16); }
  static v128_t dot(v128_t weights, v128_t activations, v128_t sums) {
    return wasm_i32x4_relaxed_dot_i8x16_i7x16_add(weights, activations, sums);
  }
  static void store_quantized(const v128_t q[4], v128_t offset, Activation* activations) {
    const v128_t bytes = wasm_i8x16_narrow_i16x8(wasm_i16x8_narrow_i32x4(q[0], q[1]),
                                                 wasm_i16x8_narrow_i32x4(q[2], q[3]));
    wasm_v128_store(activations, wasm_i8x16_add(bytes, offset));
  }
};
#endif

/// Up to six quantised rows. A term is a block of 32 columns. A block with an outlier gets a second term: the remainder
/// of the first one's rounding, quantised. Rows that need no second term have a scale of zero there, so that a row's
/// result does not depend on its neighbours.
struct QuantizedTile {
  size_t rows;
  size_t term_count;
  const uint32_t* blocks;  // [term]
  const float* scales;     // [term][rows]
  const float* sums;   // [row][blocks rounded up to 4]: of the values, for weights with a minimum
  const void* values;  // [term][rows][32]
};

/// Compares magnitudes as integers, whose order is the same. NaN propagates: its bits are the largest.
inline v128_t largest_magnitude(v128_t largest, v128_t value) {
  return wasm_i32x4_max(largest, wasm_f32x4_abs(value));
}
inline float largest_lane(v128_t a) {
  a = wasm_i32x4_max(a, wasm_i32x4_shuffle(a, a, 2, 3, 2, 3));
  a = wasm_i32x4_max(a, wasm_i32x4_shuffle(a, a, 1, 1, 1, 1));
  return wasm_f32x4_extract_lane(a, 0);
}

inline v128_t largest_of_block(const float* x) {
  v128_t largest = wasm_f32x4_abs(load(x));
#pragma unroll
  for (size_t j = 4; j < kBlockValues; j += 4) largest = largest_magnitude(largest, load(x + j));
  return largest;
}

inline float sum_of_block(const float* x) {
  v128_t sum = load(x);
#pragma unroll
  for (size_t j = 4; j < kBlockValues; j += 4) sum = wasm_f32x4_add(sum, load(x + j));
  return sum_lanes(sum);
}

/// The largest value of a typical block, for each of four rows: the mean of the blocks' largest values, taken three times,
/// each time without those above the last mean. Small values beside an outlier may be all that tells one row from another,
/// so they must not be lost in its rounding.
inline v128_t common_largest(const float* largest, size_t count, size_t stride) {
  v128_t common = wasm_f32x4_splat(std::numeric_limits<float>::infinity());
  for (int pass = 0; pass < 3; ++pass) {
    v128_t sum = wasm_i32x4_const_splat(0);
    v128_t lower = sum;
    for (size_t i = 0; i < count; ++i) {
      const v128_t value = load(largest + i * stride);
      const v128_t is_higher = wasm_f32x4_gt(value, common);
      sum = wasm_f32x4_add(sum, wasm_v128_andnot(value, is_higher));
      lower = wasm_i32x4_sub(lower, wasm_v128_not(is_higher));
    }
    common = wasm_f32x4_div(sum, wasm_f32x4_convert_i32x4(lower));
  }
  return common;
}

/// Adding 1.5 * 2^23 rounds to an integer and leaves it in the low bits.
class Rounding {
 public:
  v128_t shifted(v128_t value) const { return wasm_f32x4_add(value, shift_); }
  v128_t as_float(v128_t shifted) const { return wasm_f32x4_sub(shifted, shift_); }
  v128_t as_integer(v128_t shifted) const { return wasm_i32x4_sub(shifted, shift_); }
  /// `integer` is below 2^22, and so are the integers later added to the result.
  v128_t shifted_integer(v128_t integer) const { return wasm_i32x4_add(integer, shift_); }

 private:
  v128_t shift_ = held_u32(0x4B400000);
};

/// activations = round(x * inverse); for a second term, round((x * inverse - round(x * inverse)) * second)
template <class Dot, bool IsSecond>
inline void quantize_block(const Rounding& rounding, const float* x, float inverse, v128_t second,
                           v128_t offset, typename Dot::Activation* activations) {
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
    Dot::store_quantized(q, offset, activations + j);
  }
}

/// Quantises rows of x (k_count a multiple of 32) into `memory`, QuantizedTileLayout(k_count).floats floats; with the sums
/// of blocks if `has_sums`.
template <class Dot>
__attribute__((noinline)) QuantizedTile quantize_rows(const QuantizationParams& params, size_t rows,
                                                      size_t k_count, const float* x,
                                                      size_t x_stride, float* memory,
                                                      bool has_sums = false) {
  using Activation = typename Dot::Activation;
  const QuantizedTileLayout layout(k_count);
  const size_t block_count = k_count / kBlockValues;
  const size_t sum_stride = round_up(block_count, 4);
  auto* blocks = reinterpret_cast<uint32_t*>(memory);
  float* scales = memory + layout.scales;
  float* sums = memory + layout.sums;
  auto* activations = reinterpret_cast<Activation*>(memory + layout.values);

  // The largest values wait after the scales: terms are written no faster than they are read.
  float* largest = scales + block_count * rows;
  for (size_t r = 0; r < rows; ++r) {
    const float* row = x + r * x_stride;
    for (size_t b = 0; b < block_count; ++b) {
      largest[b * rows + r] = largest_lane(largest_of_block(row + b * kBlockValues));
    }
    for (size_t b = 0; has_sums && b < sum_stride; ++b) {
      sums[r * sum_stride + b] = b < block_count ? sum_of_block(row + b * kBlockValues) : 0.0f;
    }
  }
  // Rows side by side, in lanes; those beyond the last are whatever lies there.
  constexpr size_t kLaneRows = 8;
  const v128_t limit = wasm_f32x4_splat(params.limit);
  const v128_t finer = wasm_f32x4_splat(2 * params.limit);
  const v128_t outlier = wasm_f32x4_splat(Dot::kOutlier);
  v128_t outlier_above[kLaneRows / 4];
  for (size_t i = 0; i < kLaneRows / 4; ++i) {
    outlier_above[i] =
        params.has_two_terms
            ? wasm_f32x4_splat(-1)
            : wasm_f32x4_mul(outlier, common_largest(largest + 4 * i, block_count, rows));
  }
  const uint32_t row_bits = (1u << rows) - 1;
  const Rounding rounding;
  const v128_t offset = wasm_i8x16_splat(static_cast<int8_t>(params.offset));
  size_t term = 0;
  for (size_t b = 0; b < block_count; ++b) {
    float inverse[kLaneRows];
    float first_scales[kLaneRows];
    float second_scales[kLaneRows];
    uint32_t second_bits = 0;
    for (size_t i = 0; i < kLaneRows; i += 4) {
      const v128_t most = load(largest + b * rows + i);
      const v128_t is_zero = wasm_f32x4_eq(most, wasm_i32x4_const_splat(0));
      const v128_t scale = wasm_f32x4_div(most, limit);
      const v128_t needs_second = wasm_f32x4_gt(most, outlier_above[i / 4]);
      store(inverse + i, wasm_v128_andnot(wasm_f32x4_div(limit, most), is_zero));
      store(first_scales + i, scale);
      store(second_scales + i, wasm_v128_and(wasm_f32x4_div(scale, finer), needs_second));
      second_bits |= wasm_i32x4_bitmask(needs_second) << i;
    }
    const auto add_term = [&](const auto& quantize, const float* term_scales) {
      blocks[term] = static_cast<uint32_t>(b);
      for (size_t r = 0; r < rows; ++r) {
        scales[term * rows + r] = term_scales[r];
        quantize(rounding, x + r * x_stride + b * kBlockValues, inverse[r], finer, offset,
                 activations + (term * rows + r) * kBlockValues);
      }
      ++term;
    };
    add_term(quantize_block<Dot, false>, first_scales);
    if ((second_bits & row_bits) != 0) add_term(quantize_block<Dot, true>, second_scales);
  }
  return {rows, term, blocks, scales, sums, activations};
}

}  // namespace susurrus::simd
