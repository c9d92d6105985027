#pragma once
#include "kernels/conv_gelu/conv_gelu.h"
#include "kernels/dequantize_row/dequantize_row.h"
#include "kernels/simd/panel_product.h"

namespace susurrus::simd {

/// The convolution is a product whose row t, 3 C floats from x + t * stride * C, overlaps the next;
/// only the weights are permuted on their way into the panel, from (o, c, j) to (o, j * C + c).
template <class Madd>
inline void conv_gelu(const ConvArgs& args) {
  const size_t channels = args.channels_in;
  const TensorView& weight = args.weight;
  const auto packer = [&](size_t n, size_t n_count, size_t k, size_t k_count, float* row,
                          float* panel) {
    for (size_t c = 0; c < n_count; ++c) {
      dequantize_row_simd128(weight.dtype, weight.row(n + c), 3 * channels, row);
      size_t tap = k / channels;
      size_t channel = k % channels;
      for (size_t i = 0; i < k_count; ++i) {
        panel[i * kTileColumns + c] = row[3 * channel + tap];
        if (++channel == channels) {
          channel = 0;
          ++tap;
        }
      }
    }
    for (size_t i = 0; n_count < kTileColumns && i < k_count; ++i) {
      std::fill(panel + i * kTileColumns + n_count, panel + (i + 1) * kTileColumns, 0.0f);
    }
  };
  const size_t channels_out = static_cast<size_t>(weight.shape[0]);
  panel_product<Madd>({.rows = args.frames_out,
                       .n_count = channels_out,
                       .k_count = 3 * channels,
                       .x = args.x,
                       .x_stride = args.stride * channels,
                       .bias = args.bias,
                       .y = args.y,
                       .y_stride = channels_out,
                       .epilogue = Epilogue::gelu,
                       .scratch = args.scratch.data()},
                      packer);
}

}  // namespace susurrus::simd
