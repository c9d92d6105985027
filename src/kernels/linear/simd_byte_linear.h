// The linear layer of weights in panels: activations as codes, products of integers.
#pragma once
#include <algorithm>

#include "kernels/gelu/simd_gelu.h"
#include "kernels/kernel_table.h"
#include "kernels/simd/byte_tile.h"
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
  PanelBlockLayout layout_;
  v128_t offset_;
};

template <class Dot>
class PanelPreparer {
 public:
  PanelPreparer(const TensorView& weight, const ByteCoding& coding, float* memory)
      : dtype_(weight.dtype),
        layout_(block_layout(weight.dtype)),
        block_count_(static_cast<size_t>(weight.shape[1]) / kBlockValues),
        offset_(coding.offset),
        memory_(memory),
        place_(static_cast<size_t>(weight.shape[1])) {}

  bool has_minima() const { return layout_.m != BlockLayout::kAbsent; }
  const float* minima() const { return memory_ + place_.minima; }

  /// `is_wide`: with integers as Dot::Wide takes them, which pays for more than a few rows.
  BytePanel prepare(const uint8_t* panel, bool is_wide) const {
    float* scales = memory_;
    auto* corrections = reinterpret_cast<int32_t*>(memory_ + place_.corrections);
    auto* integers = reinterpret_cast<uint8_t*>(memory_ + place_.integers);
    const bool has_nibbles = dtype_ != Dtype::q8_0;
    const v128_t unit = wasm_f32x4_const_splat(0x1p112f);
    const NibbleExpander expander(dtype_);
    is_wide &= Dot::Wide::kWeightBytes == 2;
    const size_t stride = kPanelBlockIntegers * (is_wide ? 2 : 1);
    for (size_t b = 0; b < block_count_; ++b) {
      const uint8_t* block = panel + b * layout_.byte_count;
      floats_from_halves(block, unit, scales + 8 * b);
      if (has_minima()) {
        floats_from_halves(block + layout_.m, unit, memory_ + place_.minima + 8 * b);
      }
      const uint8_t* q = block + layout_.q;
      if (has_nibbles) {
        // To be widened from the upper half of their place on.
        uint8_t* place = integers + (b + 1) * stride - kPanelBlockIntegers;
        expander.expand(block, place);
        q = place;
      }
      if (Dot::Wide::kWeightBytes == 2 && is_wide) {
        for (size_t i = 0; i < kPanelBlockIntegers; i += 8) {
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
    const v128_t code = wasm_i8x16_splat(static_cast<int8_t>(offset_));
    v128_t low = wasm_i32x4_const_splat(0);
    v128_t high = low;
    for (size_t i = 0; i < kPanelBlockIntegers; i += 8 * Dot::kGroup) {
      low = Dot::dot(Dot::weights_low(q + i), code, low);
      high = Dot::dot(Dot::weights_high(q + i), code, high);
    }
    wasm_v128_store(corrections, wasm_i32x4_neg(low));
    wasm_v128_store(corrections + 4, wasm_i32x4_neg(high));
  }

  Dtype dtype_;
  PanelBlockLayout layout_;
  size_t block_count_;
  int32_t offset_;
  float* memory_;
  ReadyPanelLayout place_;
};

/// One tile of y, epilogue included but for gelu.
inline void store_tile(const LinearArgs& args, size_t m, size_t rows, size_t n, size_t columns,
                       const float* tile) {
  for (size_t r = 0; r < rows; ++r) {
    float* y = args.y + (m + r) * args.y_stride + n;
    const float* from = tile + kPanelRows * r;
    if (columns == kPanelRows) {
      v128_t low = load(from);
      v128_t high = load(from + 4);
      if (args.bias != nullptr) {
        low = wasm_f32x4_add(low, load(args.bias + n));
        high = wasm_f32x4_add(high, load(args.bias + n + 4));
      }
      if (args.epilogue == Epilogue::accumulate) {
        low = wasm_f32x4_add(load(y), low);
        high = wasm_f32x4_add(load(y + 4), high);
      }
      store(y, low);
      store(y + 4, high);
      continue;
    }
    for (size_t c = 0; c < columns; ++c) {
      const float value = args.bias == nullptr ? from[c] : from[c] + args.bias[n + c];
      y[c] = args.epilogue == Epilogue::accumulate ? y[c] + value : value;
    }
  }
}

/// One row against q8_0 weights, straight from memory: the same sums, scales and corrections made on the way.
template <class Dot, class Madd>
__attribute__((noinline)) void byte_row(const LinearArgs& args, const ByteCoding& coding,
                                        const CodeTile& codes, size_t m) {
  constexpr PanelBlockLayout kLayout(kQ80Layout);
  constexpr size_t kCodeBytes = kBlockValues * sizeof(typename Dot::Code);
  const size_t n_count = static_cast<size_t>(args.weight.shape[0]);
  const size_t panel_bytes = kPanelRows * static_cast<size_t>(args.weight.row_byte_count());
  const v128_t offset = wasm_i8x16_splat(static_cast<int8_t>(coding.offset));
  const v128_t unit = wasm_f32x4_splat(opaque(0x1p112f));
  const v128_t mask = held_u32(0x8FFFE000);
  const uint8_t* panel = args.weight.data;
  ReadAhead ahead(panel, (n_count + kPanelRows - 1) / kPanelRows * panel_bytes, false);
  for (size_t n = 0; n < n_count; n += kPanelRows, panel += panel_bytes) {
    ahead.reach(panel + panel_bytes);
    const auto* code = static_cast<const uint8_t*>(codes.codes);
    float y[kPanelRows] = {};
    for (size_t t = 0; t < codes.term_count;) {
      const uint8_t* block = panel + codes.blocks[t] * kLayout.byte_count;
      const uint8_t* q = block + kLayout.q;
      const bool has_second = t + 1 < codes.term_count && codes.blocks[t + 1] == codes.blocks[t];
      const v128_t zero = wasm_i32x4_const_splat(0);
      v128_t low[2] = {zero, zero};
      v128_t high[2] = {zero, zero};
      v128_t low_offset = zero;
      v128_t high_offset = zero;
      // One pass over the weights serves both terms.
      const uint8_t* second = has_second ? code + kCodeBytes : code;
#pragma clang loop unroll(disable)
      for (size_t step = 0; step < kCodeBytes; step += 4, q += 8 * Dot::kGroup) {
        const v128_t weights_low = Dot::weights_low(q);
        const v128_t weights_high = Dot::weights_high(q);
        const v128_t value = wasm_v128_load32_splat(code + step);
        low[0] = Dot::dot(weights_low, value, low[0]);
        high[0] = Dot::dot(weights_high, value, high[0]);
        if (Dot::kHasOffset) {
          const v128_t rest = wasm_v128_load32_splat(second + step);
          low[1] = Dot::dot(weights_low, rest, low[1]);
          high[1] = Dot::dot(weights_high, rest, high[1]);
          low_offset = Dot::dot(weights_low, offset, low_offset);
          high_offset = Dot::dot(weights_high, offset, high_offset);
        }
      }
      const v128_t halves = load(block);
      const auto scaled = [&](v128_t extended) {
        return wasm_f32x4_mul(wasm_v128_and(wasm_i32x4_shl(extended, 13), mask), unit);
      };
      const v128_t scale_low = scaled(wasm_i32x4_extend_low_i16x8(halves));
      const v128_t scale_high = scaled(wasm_i32x4_extend_high_i16x8(halves));
      // 16-bit codes seldom have a second term: it goes the same way on its own.
      const size_t terms = Dot::kHasOffset && has_second ? 2 : 1;
      for (size_t i = 0; i < terms; ++i, ++t, code += kCodeBytes) {
        const v128_t scale = load_splat(codes.scales + t);
        store(y, Madd::madd(wasm_f32x4_convert_i32x4(wasm_i32x4_sub(low[i], low_offset)),
                            wasm_f32x4_mul(scale, scale_low), load(y)));
        store(y + 4, Madd::madd(wasm_f32x4_convert_i32x4(wasm_i32x4_sub(high[i], high_offset)),
                                wasm_f32x4_mul(scale, scale_high), load(y + 4)));
      }
    }
    store_tile(args, m, 1, n, std::min(kPanelRows, n_count - n), y);
  }
}

template <class Dot, class Madd>
inline void byte_linear(const LinearArgs& args, const ByteCoding& coding) {
  const TensorView& weight = args.weight;
  const size_t k_count = static_cast<size_t>(weight.shape[1]);
  const size_t n_count = static_cast<size_t>(weight.shape[0]);
  const size_t panel_bytes = kPanelRows * static_cast<size_t>(weight.row_byte_count());
  const size_t tile_floats = CodeTileLayout(k_count).floats;
  const size_t sum_count = k_count / kBlockValues;
  const PanelPreparer<Dot> preparer(weight, coding, args.scratch.data());
  float* code_memory = args.scratch.data() + ReadyPanelLayout(k_count).floats;
  const size_t chunk_rows = ByteLinearScratch::tiles(k_count) * kCodeRows;

  for (size_t first = 0; first < args.rows; first += chunk_rows) {
    const size_t chunk = std::min(chunk_rows, args.rows - first);
    CodeTile tiles[ByteLinearScratch::kMostTiles];
    size_t tile_count = 0;
    for (size_t m = 0; m < chunk; m += kCodeRows, ++tile_count) {
      tiles[tile_count] = code_rows<Dot>(
          coding, std::min(kCodeRows, chunk - m), k_count, args.x + (first + m) * args.x_stride,
          args.x_stride, code_memory + tile_count * tile_floats, preparer.has_minima());
    }
    if (chunk == 1 && weight.dtype == Dtype::q8_0) {
      byte_row<Dot, Madd>(args, coding, tiles[0], first);
    } else {
      ReadAhead ahead(weight.data, (n_count + kPanelRows - 1) / kPanelRows * panel_bytes, false);
      const uint8_t* source = weight.data;
      const bool is_wide = tile_count > 1;
      for (size_t n = 0; n < n_count; n += kPanelRows, source += panel_bytes) {
        ahead.reach(source + panel_bytes);
        const BytePanel panel = preparer.prepare(source, is_wide);
        for (size_t i = 0; i < tile_count; ++i) {
          const CodeTile& tile = tiles[i];
          float y[kCodeRows * kPanelRows];
          if (preparer.has_minima()) {
            // Minima times sums of activations: a product of floats, 32 times smaller.
            for (size_t r = 0; r < tile.rows; ++r) {
              tile_rows<Madd>(1, sum_count, tile.sums + r * round_up(sum_count, 4), 0,
                              preparer.minima(), nullptr, false, y + kPanelRows * r, 0);
            }
          } else {
            std::fill_n(y, kPanelRows * tile.rows, 0.0f);
          }
          (is_wide ? byte_tile_rows<typename Dot::Wide, Madd>
                   : byte_tile_rows<Dot, Madd>)(tile, panel, y);
          store_tile(args, first + i * kCodeRows, tile.rows, n, std::min(kPanelRows, n_count - n),
                     y);
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
