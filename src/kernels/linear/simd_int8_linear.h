// The linear layer of packed weights: quantised activations, integer dot products.
#pragma once
#include <algorithm>

#include "kernels/gelu/simd_gelu.h"
#include "kernels/kernel_table.h"
#include "kernels/linear/simd_few_int8_rows.h"
#include "kernels/simd/int8_tile.h"
#include "kernels/simd/read_ahead.h"
#include "kernels/simd/tile.h"

namespace susurrus::simd {

/// Eight halves to floats, subnormals included.
inline void floats_from_halves(const uint8_t* halves, v128_t scale, float* out) {
  const v128_t value = load(halves);
  const v128_t mask = wasm_i32x4_splat(opaque(static_cast<int32_t>(0x8FFFE000)));
  const v128_t low = wasm_v128_and(wasm_i32x4_shl(wasm_i32x4_extend_low_i16x8(value), 13), mask);
  const v128_t high = wasm_v128_and(wasm_i32x4_shl(wasm_i32x4_extend_high_i16x8(value), 13), mask);
  store(out, wasm_f32x4_mul(low, scale));
  store(out + 4, wasm_f32x4_mul(high, scale));
}

/// The integers of a block of nibbles, in panel order.
class NibbleExpander {
 public:
  explicit NibbleExpander(Dtype dtype)
      : layout_(block_layout(dtype)),
        offset_(wasm_i8x16_splat(static_cast<int8_t>(opaque(block_offset(dtype))))) {}

  void expand(const uint8_t* block, uint8_t* q) const {
    const bool has_fifth = layout_.qh != BlockLayout::kAbsent;
    const v128_t nibble = wasm_i8x16_const_splat(15);
    const v128_t sixteen = wasm_i8x16_const_splat(16);
    for (size_t v = 0; v < 8; ++v) {
      const v128_t bytes = load(block + layout_.q + 16 * v);
      v128_t low = wasm_v128_and(bytes, nibble);
      v128_t high = wasm_u8x16_shr(bytes, 4);
      if (has_fifth) {
        const v128_t bits = load(block + layout_.qh + 16 * (v & 1));
        const auto shift = static_cast<uint32_t>(v >> 1);
        // The bit of the low half to bit 4: it stands at 0 to 3, that of the high half at 4 to 7.
        low = wasm_v128_or(low, wasm_v128_and(wasm_i16x8_shl(bits, 4 - shift), sixteen));
        high = wasm_v128_or(high, wasm_v128_and(wasm_u16x8_shr(bits, shift), sixteen));
      }
      wasm_v128_store(q + 16 * v, wasm_i8x16_sub(low, offset_));
      wasm_v128_store(q + 128 + 16 * v, wasm_i8x16_sub(high, offset_));
    }
  }

 private:
  PackedBlockLayout layout_;
  v128_t offset_;
};

template <class Dot>
class PanelPreparer {
 public:
  PanelPreparer(const TensorView& weight, const QuantizationParams& params, float* memory)
      : dtype_(weight.dtype),
        layout_(block_layout(weight.dtype)),
        block_count_(static_cast<size_t>(weight.shape[1]) / kBlockValues),
        offset_(params.offset),
        memory_(memory),
        place_(static_cast<size_t>(weight.shape[1])) {}

  bool has_minima() const { return layout_.m != BlockLayout::kAbsent; }
  const float* minima() const { return memory_ + place_.minima; }

  /// `is_wide`: with integers as Dot::Wide takes them, which pays for more than a few rows.
  Int8Panel prepare(const uint8_t* panel, bool is_wide) const {
    float* scales = memory_;
    auto* corrections = reinterpret_cast<int32_t*>(memory_ + place_.corrections);
    auto* integers = reinterpret_cast<uint8_t*>(memory_ + place_.integers);
    const bool has_nibbles = dtype_ != Dtype::q8_0;
    const v128_t unit = wasm_f32x4_const_splat(0x1p112f);
    const NibbleExpander expander(dtype_);
    is_wide &= Dot::Wide::kWeightBytes == 2;
    const size_t stride = kPackedBlockIntegers * (is_wide ? 2 : 1);
    for (size_t b = 0; b < block_count_; ++b) {
      const uint8_t* block = panel + b * layout_.byte_count;
      floats_from_halves(block, unit, scales + 8 * b);
      if (has_minima()) {
        floats_from_halves(block + layout_.m, unit, memory_ + place_.minima + 8 * b);
      }
      const uint8_t* q = block + layout_.q;
      if (has_nibbles) {
        // To be widened from the upper half of their place on.
        uint8_t* place = integers + (b + 1) * stride - kPackedBlockIntegers;
        expander.expand(block, place);
        q = place;
      }
      if (Dot::Wide::kWeightBytes == 2 && is_wide) {
        for (size_t i = 0; i < kPackedBlockIntegers; i += 8) {
          wasm_v128_store(integers + b * stride + 2 * i, wasm_i16x8_load8x8(q + i));
        }
      }
      if (Dot::kHasOffset) correct(q, corrections + 8 * b);
    }
    if (has_nibbles || is_wide) return {integers, stride, scales, corrections};
    return {panel + layout_.q, layout_.byte_count, scales, corrections};
  }

 private:
  void correct(const uint8_t* q, int32_t* corrections) const {
    const v128_t offset = wasm_i8x16_splat(static_cast<int8_t>(offset_));
    v128_t low = wasm_i32x4_const_splat(0);
    v128_t high = low;
    for (size_t i = 0; i < kPackedBlockIntegers; i += 8 * Dot::kGroup) {
      low = Dot::dot(Dot::weights_low(q + i), offset, low);
      high = Dot::dot(Dot::weights_high(q + i), offset, high);
    }
    wasm_v128_store(corrections, wasm_i32x4_neg(low));
    wasm_v128_store(corrections + 4, wasm_i32x4_neg(high));
  }

  Dtype dtype_;
  PackedBlockLayout layout_;
  size_t block_count_;
  int32_t offset_;
  float* memory_;
  ReadyPanelLayout place_;
};

template <class Dot, class Madd>
inline void int8_linear(const LinearArgs& args, const QuantizationParams& params) {
  const TensorView& weight = args.weight;
  const size_t k_count = static_cast<size_t>(weight.shape[1]);
  const size_t n_count = static_cast<size_t>(weight.shape[0]);
  const size_t panel_bytes = kPackedRows * static_cast<size_t>(weight.row_byte_count());
  const size_t tile_floats = QuantizedTileLayout(k_count).floats;
  const size_t sum_count = k_count / kBlockValues;
  const PanelPreparer<Dot> preparer(weight, params, args.scratch.data());
  float* tile_memory = args.scratch.data() + ReadyPanelLayout(k_count).floats;
  const size_t chunk_rows = Int8LinearScratch::tiles(k_count) * kQuantizedRows;

  for (size_t first = 0; first < args.rows; first += chunk_rows) {
    const size_t chunk = std::min(chunk_rows, args.rows - first);
    QuantizedTile tiles[Int8LinearScratch::kMostTiles];
    size_t tile_count = 0;
    for (size_t m = 0; m < chunk; m += kQuantizedRows, ++tile_count) {
      tiles[tile_count] =
          quantize_rows<Dot>(params, std::min(kQuantizedRows, chunk - m), k_count,
                             args.x + (first + m) * args.x_stride, args.x_stride,
                             tile_memory + tile_count * tile_floats, preparer.has_minima());
    }
    if (!few_int8_rows<Dot, Madd>(args, params, tiles[0], first, chunk)) {
      ReadAhead ahead(weight.data, (n_count + kPackedRows - 1) / kPackedRows * panel_bytes, false);
      const uint8_t* source = weight.data;
      const bool is_wide = tile_count > 1;
      for (size_t n = 0; n < n_count; n += kPackedRows, source += panel_bytes) {
        ahead.reach(source + panel_bytes);
        const Int8Panel panel = preparer.prepare(source, is_wide);
        for (size_t i = 0; i < tile_count; ++i) {
          const QuantizedTile& tile = tiles[i];
          float y[kQuantizedRows * kPackedRows];
          if (preparer.has_minima()) {
            // Minima times sums of activations: a product of floats, 32 times smaller.
            for (size_t r = 0; r < tile.rows; ++r) {
              tile_rows<Madd>(1, sum_count, tile.sums + r * round_up(sum_count, 4), 0,
                              preparer.minima(), nullptr, false, y + kPackedRows * r, 0);
            }
          } else {
            std::fill_n(y, kPackedRows * tile.rows, 0.0f);
          }
          (is_wide ? int8_tile_rows<typename Dot::Wide, Madd>
                   : int8_tile_rows<Dot, Madd>)(tile, panel, y);
          store_tile(args, first + i * kQuantizedRows, tile.rows, n,
                     std::min(kPackedRows, n_count - n), y);
        }
      }
    }
    if (args.epilogue != Epilogue::gelu) continue;
    for (size_t m = first; m < first + chunk; ++m) {
      gelu<Madd>(n_count, args.y + m * args.y_stride, args.y + m * args.y_stride);
    }
  }
}

}  // namespace susurrus::simd
