// The register tile of products with integers: up to six rows of activations by a panel of eight weight rows.
#pragma once
#include "kernels/packed_weights/packed_weights.h"
#include "kernels/simd/int8_activations.h"

namespace susurrus::simd {

/// Eight weight rows. Block b of 32 columns: integers at q + b * q_stride in panel order, 8 scales, and 8 corrections:
/// minus the activations' offset times the sum of the integers (PairDot has none).
struct Int8Panel {
  const uint8_t* q;
  size_t q_stride;
  const float* scales;
  const int32_t* corrections;
};

/// y[r, c] += sum_terms scale[r] * panel_scale[c] * (q[c] . x[r]),  r < R, c < 8; y is 8 floats a row.
template <class Dot, class Madd, int R>
inline void int8_tile(const QuantizedTile& activations, const Int8Panel& panel, float* y) {
  const auto* activation = static_cast<const uint8_t*>(activations.values);
  constexpr size_t kRowBytes = kBlockValues * sizeof(typename Dot::Activation);
  // Sums of int8 start at the integer that turns them into floats without a conversion; sums of int16 are too large for it.
  const Rounding rounding;
  const size_t row_bytes = opaque(kRowBytes);
  for (size_t t = 0; t < activations.term_count; ++t, activation += R * kRowBytes) {
    const size_t b = activations.blocks[t];
    const uint8_t* q = panel.q + b * panel.q_stride;
    v128_t start0 = wasm_i32x4_const_splat(0);
    v128_t start1 = start0;
    if (Dot::kHasOffset) {
      start0 = rounding.shifted_integer(load(panel.corrections + 8 * b));
      start1 = rounding.shifted_integer(load(panel.corrections + 8 * b + 4));
    }
    v128_t sums[R][2];
#pragma unroll
    for (int r = 0; r < R; ++r) {
      sums[r][0] = start0;
      sums[r][1] = start1;
    }
    // Pointers that move: with an index instead, V8 before 12 (Node 20) takes 1.3 times as long.
    const uint8_t* column = activation;
    const uint8_t* const end = activation + row_bytes;
    const auto has_more = [&]() __attribute__((always_inline)) {
      const v128_t low = Dot::weights_low(q);
      const v128_t high = Dot::weights_high(q);
#pragma unroll
      for (int r = 0; r < R; ++r) {
        const v128_t value = wasm_v128_load32_splat(column + static_cast<size_t>(r) * kRowBytes);
        sums[r][0] = Dot::dot(low, value, sums[r][0]);
        sums[r][1] = Dot::dot(high, value, sums[r][1]);
      }
      q += 8 * Dot::kGroup * Dot::kWeightBytes;
      column += 4;
      return column < end;
    };
    // Two steps a turn gain 3 % where the tile is full. Every step ends in a branch of its own, as in tile.h.
    constexpr bool kHasTwoSteps = R == kQuantizedRows && Dot::kHasOffset;
    while (has_more() && (!kHasTwoSteps || has_more())) {
    }
    const auto to_float = [&](v128_t sum) {
      return Dot::kHasOffset ? rounding.as_float(sum) : wasm_f32x4_convert_i32x4(sum);
    };
    const v128_t scale0 = load(panel.scales + 8 * b);
    const v128_t scale1 = load(panel.scales + 8 * b + 4);
#pragma unroll
    for (int r = 0; r < R; ++r) {
      const v128_t scale = load_splat(activations.scales + t * R + static_cast<size_t>(r));
      float* row = y + 8 * r;
      store(row, Madd::madd(to_float(sums[r][0]), wasm_f32x4_mul(scale, scale0), load(row)));
      store(row + 4,
            Madd::madd(to_float(sums[r][1]), wasm_f32x4_mul(scale, scale1), load(row + 4)));
    }
  }
}

template <class Dot, class Madd>
__attribute__((noinline)) void int8_tile_rows(const QuantizedTile& activations,
                                              const Int8Panel& panel, float* y) {
  static_assert(kQuantizedRows == 6);
  switch (activations.rows) {
    case 1: return int8_tile<Dot, Madd, 1>(activations, panel, y);
    case 2: return int8_tile<Dot, Madd, 2>(activations, panel, y);
    case 3: return int8_tile<Dot, Madd, 3>(activations, panel, y);
    case 4: return int8_tile<Dot, Madd, 4>(activations, panel, y);
    case 5: return int8_tile<Dot, Madd, 5>(activations, panel, y);
    default: return int8_tile<Dot, Madd, 6>(activations, panel, y);
  }
}

}  // namespace susurrus::simd
