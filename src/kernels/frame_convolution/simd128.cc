#include <algorithm>

#include "kernels/frame_convolution/frame_convolution.h"
#include "kernels/simd/int8_activations.h"

namespace susurrus {
namespace {

using Sizes = FrameConvolution;
using simd::load;
using simd::load_splat;
using simd::store;

constexpr size_t kRows = Sizes::kTileRows;
constexpr size_t kStep = 2 * kRows;  // integers of two channels of a tile

/// Rounds four floats of either to eight integers.
class Rounded {
 public:
  explicit Rounded(float factor)
      : factor_(wasm_f32x4_splat(factor)),
        most_(wasm_f32x4_splat(Sizes::kLimit)),
        least_(wasm_f32x4_splat(-Sizes::kLimit)) {}

  v128_t operator()(v128_t low, v128_t high) const {
    return wasm_i16x8_narrow_i32x4(integers(low), integers(high));
  }

 private:
  v128_t integers(v128_t value) const {
    // Cut before, as the rounding holds below 2^22 alone.
    const v128_t cut =
        wasm_f32x4_pmin(most_, wasm_f32x4_pmax(least_, wasm_f32x4_mul(value, factor_)));
    return rounding_.as_integer(rounding_.shifted(cut));
  }

  v128_t factor_;
  v128_t most_;
  v128_t least_;
  simd::Rounding rounding_;
};

/// sums[r] += panel . x[r] of one input's channels.
inline void multiply_channels(const int16_t* x, const int16_t* end, const int16_t*& weights,
                              v128_t sums[kRows][2]) {
  const int16_t* w = weights;
  // A step for each turn of the loop, as in int8_tile.h.
#pragma clang loop unroll(disable)
  for (; x < end; x += kStep, w += 2 * Sizes::kOutputs) {
    const v128_t low = load(w);
    const v128_t high = load(w + Sizes::kOutputs);
#pragma unroll
    for (size_t r = 0; r < kRows; ++r) {
      const v128_t value = wasm_v128_load32_splat(x + 2 * r);
      sums[r][0] = simd::PairDot::dot(low, value, sums[r][0]);
      sums[r][1] = simd::PairDot::dot(high, value, sums[r][1]);
    }
  }
  weights = w;
}

/// A tile's sums of one point, as floats.
__attribute__((noinline)) const int16_t* multiply_tile(const ConvolveFramesArgs& args,
                                                       size_t offset, const int16_t* weights,
                                                       float* m) {
  v128_t sums[kRows][2] = {};
  for (const int16_t* input : args.inputs) {
    if (input == nullptr) {
      weights += args.channels * Sizes::kOutputs;
      continue;
    }
    multiply_channels(input + offset, input + offset + args.channels * kRows, weights, sums);
  }
#pragma unroll
  for (size_t r = 0; r < kRows; ++r) {
    store(m + 8 * r, wasm_f32x4_convert_i32x4(sums[r][0]));
    store(m + 8 * r + 4, wasm_f32x4_convert_i32x4(sums[r][1]));
  }
  return weights;
}

/// The rows that a tile's four products give, of eight outputs.
void store_rows(const ConvolveFramesArgs& args, size_t row, size_t n, const float* m) {
  constexpr size_t kPoint = kRows * Sizes::kOutputs;
  const size_t pairs = std::min(kRows, (args.rows - row + 1) / 2);
  for (size_t half = n; half < n + Sizes::kOutputs; half += 4, m += 4) {
    const v128_t scale = wasm_f32x4_mul(load(args.scales + half), wasm_f32x4_splat(args.scale));
    const v128_t bias = args.bias == nullptr ? wasm_f32x4_const_splat(0) : load(args.bias + half);
    for (size_t i = 0; i < pairs; ++i) {
      const float* from = m + Sizes::kOutputs * i;
      const v128_t m1 = load(from + kPoint);
      const v128_t m2 = load(from + 2 * kPoint);
      v128_t y0 = wasm_f32x4_add(wasm_f32x4_add(load(from), m1), m2);
      v128_t y1 = wasm_f32x4_sub(wasm_f32x4_sub(m1, m2), load(from + 3 * kPoint));
      y0 = wasm_f32x4_add(wasm_f32x4_mul(y0, scale), bias);
      y1 = wasm_f32x4_add(wasm_f32x4_mul(y1, scale), bias);
      float* y = args.y + (row + 2 * i) * args.y_stride + half;
      store(y, args.accumulates ? wasm_f32x4_add(load(y), y0) : y0);
      if (row + 2 * i + 1 == args.rows) continue;
      y += args.y_stride;
      store(y, args.accumulates ? wasm_f32x4_add(load(y), y1) : y1);
    }
  }
}

}  // namespace

void fold_frames_simd128(const FoldFramesArgs& args) {
  const Rounded rounded(args.factor);
  const size_t tiles = Sizes::tiles(args.rows);
  const size_t point = tiles * kRows * args.channels;
  const auto row = [&](size_t i) {
    return args.x + (i == 0 ? -static_cast<ptrdiff_t>(args.x_stride)
                            : static_cast<ptrdiff_t>(std::min(i - 1, args.rows) * args.x_stride));
  };
  for (size_t i = 0; i < tiles * kRows; ++i) {
    const float* rows[] = {row(2 * i), row(2 * i + 1), row(2 * i + 2), row(2 * i + 3)};
    int16_t* out = args.out + i / kRows * kRows * args.channels + i % kRows * 2;
    for (size_t c = 0; c < args.channels; c += 4, out += 2 * kStep) {
      const v128_t d1 = load(rows[1] + c);
      const v128_t d2 = load(rows[2] + c);
      const v128_t first = rounded(wasm_f32x4_sub(load(rows[0] + c), d2), wasm_f32x4_add(d1, d2));
      const v128_t last = rounded(wasm_f32x4_sub(d2, d1), wasm_f32x4_sub(d1, load(rows[3] + c)));
      wasm_v128_store32_lane(out, first, 0);
      wasm_v128_store32_lane(out + kStep, first, 1);
      wasm_v128_store32_lane(out + point, first, 2);
      wasm_v128_store32_lane(out + point + kStep, first, 3);
      wasm_v128_store32_lane(out + 2 * point, last, 0);
      wasm_v128_store32_lane(out + 2 * point + kStep, last, 1);
      wasm_v128_store32_lane(out + 3 * point, last, 2);
      wasm_v128_store32_lane(out + 3 * point + kStep, last, 3);
    }
  }
}

void convolve_frames_simd128(const ConvolveFramesArgs& args) {
  const size_t tiles = Sizes::tiles(args.rows);
  const size_t tile_size = args.channels * kRows;
  for (size_t t = 0; t < tiles; ++t) {
    const int16_t* weights = args.weights;
    for (size_t n = 0; n < args.outputs; n += Sizes::kOutputs) {
      float m[Sizes::kPoints * kRows * Sizes::kOutputs];
      for (size_t p = 0; p < Sizes::kPoints; ++p) {
        weights = multiply_tile(args, (p * tiles + t) * tile_size, weights,
                                m + p * kRows * Sizes::kOutputs);
      }
      store_rows(args, 2 * kRows * t, n, m);
    }
  }
}

}  // namespace susurrus
