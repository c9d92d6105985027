// A few rows against q8_0 weights in panels, straight from memory: nothing is prepared, so that the next block arrives while
// one is multiplied.
#pragma once
#include <algorithm>
#include <array>

#include "kernels/kernel_table.h"
#include "kernels/simd/int8_tile.h"
#include "kernels/simd/read_ahead.h"

namespace susurrus::simd {

/// One tile of y, epilogue included but for gelu.
inline void store_tile(const LinearArgs& args, size_t m, size_t rows, size_t n, size_t columns,
                       const float* tile) {
  for (size_t r = 0; r < rows; ++r) {
    float* y = args.y + (m + r) * args.y_stride + n;
    const float* from = tile + kPackedRows * r;
    if (columns == kPackedRows) {
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

/// sums[r] += q . x[r] of a block, eight weight rows; the row after the last, where there is one, is of `offset` alone.
template <class Dot, int R, bool HasOffsetRow>
inline void multiply_block(const uint8_t* q, const uint8_t* activation, v128_t offset,
                           v128_t sums[][2]) {
  constexpr size_t kRowBytes = kBlockValues * sizeof(typename Dot::Activation);
  // A step for each turn of the loop: unrolled, V8 moves the loads to the front and runs out of registers.
#pragma clang loop unroll(disable)
  for (size_t step = 0; step < kRowBytes; step += 4, q += 8 * Dot::kGroup) {
    const v128_t low = Dot::weights_low(q);
    const v128_t high = Dot::weights_high(q);
#pragma unroll
    for (int r = 0; r < R + HasOffsetRow; ++r) {
      const v128_t value =
          r == R ? offset
                 : wasm_v128_load32_splat(activation + static_cast<size_t>(r) * kRowBytes + step);
      sums[r][0] = Dot::dot(low, value, sums[r][0]);
      sums[r][1] = Dot::dot(high, value, sums[r][1]);
    }
  }
}

/// Rows [m, m + R) of y: the sums, scales and corrections of int8_tile(), made on the way. int8 activations have two terms for
/// every block.
template <class Dot, class Madd, int R>
__attribute__((noinline)) void int8_rows(const LinearArgs& args, const QuantizationParams& params,
                                         const QuantizedTile& activations, size_t m) {
  constexpr PackedBlockLayout kLayout(kQ80Layout);
  constexpr size_t kRowBytes = kBlockValues * sizeof(typename Dot::Activation);
  constexpr size_t kTerms = Dot::kHasOffset ? 2 : 1;
  constexpr int kSums = static_cast<int>(kTerms) * R;
  const size_t n_count = static_cast<size_t>(args.weight.shape[0]);
  const size_t panel_bytes = kPackedRows * static_cast<size_t>(args.weight.row_byte_count());
  const v128_t offset = wasm_i8x16_splat(static_cast<int8_t>(params.offset));
  const v128_t unit = wasm_f32x4_splat(opaque(0x1p112f));
  const v128_t mask = held_u32(0x8FFFE000);
  const v128_t zero = wasm_i32x4_const_splat(0);
  const uint8_t* panel = args.weight.data;
  ReadAhead ahead(panel, (n_count + kPackedRows - 1) / kPackedRows * panel_bytes, false);
  for (size_t n = 0; n < n_count; n += kPackedRows, panel += panel_bytes) {
    ahead.reach(panel + panel_bytes);
    const auto* activation = static_cast<const uint8_t*>(activations.values);
    v128_t y[R][2];
#pragma unroll
    for (int r = 0; r < R; ++r) y[r][0] = y[r][1] = zero;
    for (size_t t = 0; t < activations.term_count; t += kTerms, activation += kSums * kRowBytes) {
      const uint8_t* block = panel + activations.blocks[t] * kLayout.byte_count;
      const uint8_t* q = block + kLayout.q;
      v128_t sums[kSums + 1][2];
      for (auto& sum : sums) sum[0] = sum[1] = zero;
      if constexpr (kTerms == 1 || R <= 2) {
        // One pass over the weights serves both terms.
        multiply_block<Dot, kSums, Dot::kHasOffset>(q, activation, offset, sums);
      } else {
        multiply_block<Dot, R, false>(q, activation, zero, sums);
        multiply_block<Dot, R, true>(q, activation + R * kRowBytes, offset, sums + R);
      }
      const v128_t halves = load(block);
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const v128_t extended =
            half == 0 ? wasm_i32x4_extend_low_i16x8(halves) : wasm_i32x4_extend_high_i16x8(halves);
        const v128_t panel_scale =
            wasm_f32x4_mul(wasm_v128_and(wasm_i32x4_shl(extended, 13), mask), unit);
#pragma unroll
        for (int i = 0; i < kSums; ++i) {
          v128_t sum = sums[i][half];
          if (Dot::kHasOffset) sum = wasm_i32x4_sub(sum, sums[kSums][half]);
          const v128_t scale = load_splat(activations.scales + t * R + i);
          v128_t& out = y[i % R][half];
          out = Madd::madd(wasm_f32x4_convert_i32x4(sum), wasm_f32x4_mul(scale, panel_scale), out);
        }
      }
    }
    float tile[R * kPackedRows];
#pragma unroll
    for (int r = 0; r < R; ++r) {
      store(tile + kPackedRows * r, y[r][0]);
      store(tile + kPackedRows * r + 4, y[r][1]);
    }
    store_tile(args, m, R, n, std::min(kPackedRows, n_count - n), tile);
  }
}

/// False where there is more to it: many rows, other weights, or int8 activations whose terms differ from block to block.
template <class Dot, class Madd>
bool few_int8_rows(const LinearArgs& args, const QuantizationParams& params,
                   const QuantizedTile& activations, size_t m, size_t rows) {
  // Called through a table, each is compiled by itself: the engine's compiler does that sooner and better.
  static constexpr auto kFunctions = std::to_array({
      int8_rows<Dot, Madd, 1>,
      int8_rows<Dot, Madd, 2>,
      int8_rows<Dot, Madd, 3>,
      int8_rows<Dot, Madd, 4>,
      int8_rows<Dot, Madd, 5>,
  });
  if (args.weight.dtype != Dtype::q8_0 || (Dot::kHasOffset && !params.has_two_terms) ||
      rows > kFunctions.size()) {
    return false;
  }
  kFunctions[rows - 1](args, params, activations, m);
  return true;
}

}  // namespace susurrus::simd
