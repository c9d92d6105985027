#pragma once
#include <algorithm>

#include "kernels/quantize_kv/quantize_kv.h"
#include "kernels/simd/byte_codes.h"
#include "kernels/simd/tile.h"

namespace susurrus::simd {

/// Eight columns of 32 values at a time, in the order that Dot multiplies them.
template <class Dot>
class BlockQuantizer {
 public:
  explicit BlockQuantizer(const ByteCoding& coding) : offset_(coding.offset) {}

  /// Column c: x[k * 8 + c], k < 32, c < 8. `corrections` may be null.
  void quantize(const float* x, float* scales, int32_t* corrections, uint8_t* q) const {
    constexpr size_t stride = kTileColumns;
#pragma unroll
    for (size_t half = 0; half < 2; ++half) {
      const float* column = x + 4 * half;
      v128_t most = wasm_f32x4_const_splat(0);
      for (size_t k = 0; k < kBlockValues; ++k) {
        most = largest_magnitude(most, load(column + k * stride));
      }
      const v128_t limit = wasm_f32x4_const_splat(127);
      store(scales + 4 * half, wasm_f32x4_div(most, limit));
      const v128_t inverse = wasm_v128_and(wasm_f32x4_div(limit, most),
                                           wasm_f32x4_gt(most, wasm_f32x4_const_splat(0)));
      v128_t sum = wasm_i32x4_const_splat(0);
      uint8_t* out = q + 4 * half * Dot::kGroup;
      for (size_t k = 0; k < kBlockValues; k += Dot::kGroup, out += 8 * Dot::kGroup) {
        v128_t group = wasm_i32x4_const_splat(0);
#pragma unroll
        for (size_t i = 0; i < Dot::kGroup; ++i) {
          const v128_t integer = rounding_.as_integer(
              rounding_.shifted(wasm_f32x4_mul(load(column + (k + i) * stride), inverse)));
          sum = wasm_i32x4_add(sum, integer);
          const auto shift = static_cast<uint32_t>(8 * i);
          group = wasm_v128_or(
              group, wasm_i32x4_shl(wasm_v128_and(integer, wasm_i32x4_const_splat(0xFF)), shift));
        }
        if constexpr (Dot::kGroup == 4) {
          wasm_v128_store(out, group);
        } else {
          group = wasm_i16x8_shuffle(group, group, 0, 2, 4, 6, 0, 2, 4, 6);
          wasm_v128_store64_lane(out, group, 0);
        }
      }
      if (corrections != nullptr) {
        wasm_v128_store(corrections + 4 * half, wasm_i32x4_mul(sum, wasm_i32x4_splat(-offset_)));
      }
    }
  }

 private:
  Rounding rounding_;
  int32_t offset_;
};

/// Means of columns; zeros from there to `padded`, a multiple of 4.
inline void column_means(const float* x, size_t stride, size_t rows, size_t columns, size_t padded,
                         float* means) {
  const float share = 1 / static_cast<float>(rows);
  for (size_t c = 0; c < padded; c += 4) {
    v128_t sum = wasm_f32x4_const_splat(0);
    if (c + 4 <= columns) {
      for (size_t j = 0; j < rows; ++j) sum = wasm_f32x4_add(sum, load(x + j * stride + c));
    } else {
      float last[4] = {};
      for (size_t i = c; i < columns; ++i) {
        for (size_t j = 0; j < rows; ++j) last[i - c] += x[j * stride + i];
      }
      sum = load(last);
    }
    store(means + c, wasm_f32x4_mul(sum, wasm_f32x4_splat(share)));
  }
}

template <class Dot>
inline void quantize_kv(const QuantizeKvArgs& args, const ByteCoding& coding) {
  constexpr size_t kColumns = kTileColumns;
  constexpr size_t kScales = ByteKvLayout::kBlockScales;
  constexpr size_t kIntegers = ByteKvLayout::kBlockIntegers;
  const ByteKvLayout layout(args.key_rows, args.head_size);
  const BlockQuantizer<Dot> quantizer(coding);
  float block[kBlockValues * kColumns];
  for (size_t h = args.head_first; h < args.head_first + args.head_count; ++h) {
    uint8_t* panel = args.kv.data + h * layout.head_bytes;
    const float* k = args.k + h * args.head_size;
    const float* v = args.v + h * args.head_size;
    auto* key_means = reinterpret_cast<float*>(panel + layout.key_means);
    auto* value_means = reinterpret_cast<float*>(panel + layout.value_means);
    column_means(k, args.k_stride, args.key_rows, args.head_size, layout.head_blocks * kBlockValues,
                 key_means);
    column_means(v, args.v_stride, args.key_rows, args.head_size, layout.column_panels * kColumns,
                 value_means);
    for (size_t j = 0; j < layout.key_blocks * kBlockValues;
         j += kColumns, panel += layout.key_panel_bytes) {
      for (size_t b = 0; b < layout.head_blocks; ++b) {
        const size_t d = b * kBlockValues;
        const size_t count = std::min(kBlockValues, args.head_size - d);
        const float* rows[kColumns];
        for (size_t c = 0; c < kColumns; ++c) {
          // Keys beyond the last are means: zeros without them.
          rows[c] = (j + c < args.key_rows ? k + (j + c) * args.k_stride : key_means) + d;
        }
        transpose_to_panel(rows, count, block);
        for (size_t i = 0; i < count; ++i) {
          float* row = block + i * kColumns;
          const v128_t mean = load_splat(key_means + d + i);
          store(row, wasm_f32x4_sub(load(row), mean));
          store(row + 4, wasm_f32x4_sub(load(row + 4), mean));
        }
        std::fill(block + count * kColumns, block + kBlockValues * kColumns, 0.0f);
        quantizer.quantize(block, reinterpret_cast<float*>(panel + b * kScales),
                           reinterpret_cast<int32_t*>(panel + layout.key_corrections + b * kScales),
                           panel + layout.key_integers + b * kIntegers);
      }
    }
    for (size_t d = 0; d < args.head_size; d += kColumns, panel += layout.value_panel_bytes) {
      const size_t columns = std::min(kColumns, args.head_size - d);
      for (size_t b = 0; b < layout.key_blocks; ++b) {
        const size_t count = std::min(kBlockValues, args.key_rows - b * kBlockValues);
        const float* source = v + b * kBlockValues * args.v_stride + d;
        std::fill_n(block, kBlockValues * kColumns, 0.0f);
        for (size_t i = 0; i < count; ++i, source += args.v_stride) {
          float* row = block + i * kColumns;
          if (columns == kColumns) {
            store(row, wasm_f32x4_sub(load(source), load(value_means + d)));
            store(row + 4, wasm_f32x4_sub(load(source + 4), load(value_means + d + 4)));
          } else {
            for (size_t c = 0; c < columns; ++c) row[c] = source[c] - value_means[d + c];
          }
        }
        quantizer.quantize(block, reinterpret_cast<float*>(panel + b * kScales), nullptr,
                           panel + layout.value_integers + b * kIntegers);
      }
    }
  }
}

}  // namespace susurrus::simd
