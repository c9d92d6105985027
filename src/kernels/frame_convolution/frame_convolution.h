#pragma once
#include <cstddef>

#include "kernels/kernel_table.h"

namespace susurrus {

/// A convolution of three taps over rows, a zero row before the first and behind the last, two rows at a time with four products
/// instead of six (Winograd's F(2, 3)), as integers of 16 bits:
///
///   y[2i, n]     = f(m0 + m1 + m2),   y[2i + 1, n] = f(m1 - m2 - m3)
///   m_p[i, n]    = sum over inputs s and channels c of v_s,p[i, c] * u_p[n, s, c]
///   v[i]         = d0 - d2, d1 + d2, d2 - d1, d1 - d3, with d0 … d3 the rows 2i - 1 … 2i + 2 of an input
///   u[n]         = g0, (g0 + g1 + g2) / 2, (g0 - g1 + g2) / 2, g2, with g0 … g2 the taps
///
/// Sums fit into 32 bits: v is at most FrameConvolution::kLimit, and a row of u adds up to at most 2^31 / kLimit.
struct FrameConvolution {
  static constexpr size_t kPoints = 4;
  static constexpr size_t kTileRows = 6;  // pairs
  static constexpr size_t kOutputs = 8;   // of a panel of weights
  static constexpr float kLimit = 32767;
  static constexpr float kRowLimit = 65000;

  static constexpr size_t tiles(size_t rows) {
    return ((rows + 1) / 2 + kTileRows - 1) / kTileRows;
  }
  /// Integers of an input of so many rows, [point][tile][channels / 2][pair][2].
  static constexpr size_t folded(size_t rows, size_t channels) {
    return kPoints * tiles(rows) * kTileRows * channels;
  }
  /// Integers of weights, [outputs / 8][point][input][channels / 2][output][2]; outputs are a multiple of 8.
  static constexpr size_t weights(size_t outputs, size_t inputs, size_t channels) {
    return kPoints * outputs * inputs * channels;
  }
};

/// Any weights to `to` and a scale for each output. Output n's taps of input s are row s * outputs + n: [3][channels]. `row` is
/// memory for 3 * channels * inputs floats.
void fold_weights(const TensorView& weight, size_t outputs, size_t inputs, float* row, int16_t* to,
                  float* scales);

using FoldFramesFn = void(const FoldFramesArgs& args);
using ConvolveFramesFn = void(const ConvolveFramesArgs& args);

/// out = v * factor, rounded to the nearest integer, halves to the even one, cut at ±kLimit; pairs behind the last are zeros.
FoldFramesFn fold_frames_reference;
FoldFramesFn fold_frames_simd128;
/// Sums are exact; what follows is rounded three times.
ConvolveFramesFn convolve_frames_reference;
ConvolveFramesFn convolve_frames_simd128;

}  // namespace susurrus
