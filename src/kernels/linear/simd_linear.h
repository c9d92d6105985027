// The linear layer's ways: weights of the block types by integers; floats with few rows straight from the stored weights,
// with many rows through packed panels.
#pragma once
#include "kernels/dequantize_row/dequantize_row.h"
#include "kernels/linear/linear.h"
#include "kernels/linear/simd_float_rows.h"
#include "kernels/linear/simd_int8_linear.h"
#include "kernels/simd/panel_product.h"
#include "kernels/simd/read_ahead.h"

namespace susurrus::simd {

/// Up to this many rows, packing a panel costs more than reading the weights again for every two
/// rows.
inline constexpr size_t kFewRows = 4;

/// Writes four (or fewer) neighbouring outputs of R rows, gelu aside.
template <int R>
inline void store_outputs(const LinearArgs& args, size_t m, size_t n, size_t count,
                          const v128_t result[R]) {
  for (int r = 0; r < R; ++r) {
    float* y = args.y + (m + static_cast<size_t>(r)) * args.y_stride + n;
    float values[4];
    store(values, result[r]);
    for (size_t i = 0; i < count; ++i) {
      const float value = args.bias == nullptr ? values[i] : values[i] + args.bias[n + i];
      y[i] = args.epilogue == Epilogue::accumulate ? y[i] + value : value;
    }
  }
}

/// Rows [m, m + R) by `dot(weight row, partial)`, whose partial[r] is summed over its lanes; gelu aside.
template <int R, class Dot>
inline void few_rows(const LinearArgs& args, size_t m, const Dot& dot) {
  const size_t n_count = static_cast<size_t>(args.weight.shape[0]);
  const size_t row_bytes = static_cast<size_t>(args.weight.row_byte_count());
  const uint8_t* w = args.weight.data;
  ReadAhead ahead(w, n_count * row_bytes, args.weight.dtype == Dtype::f32);
  for (size_t n = 0; n < n_count; n += 4) {
    const size_t count = std::min<size_t>(4, n_count - n);
    ahead.reach(w + 4 * row_bytes);
    v128_t partial[4][R] = {};
    for (size_t i = 0; i < count; ++i, w += row_bytes) dot(w, partial[i]);
    v128_t result[R];
    for (int r = 0; r < R; ++r)
      result[r] = sum_each(partial[0][r], partial[1][r], partial[2][r], partial[3][r]);
    store_outputs<R>(args, m, n, count, result);
  }
}

template <class Madd, int R>
__attribute__((noinline)) void few_rows_of_type(const LinearArgs& args, size_t m) {
  const FewRows rows = {static_cast<size_t>(args.weight.shape[1]), args.x + m * args.x_stride,
                        args.x_stride, args.scratch.data()};
  if (args.weight.layout == WeightLayout::rescaled_halves) {
    few_rows<R>(args, m, HalfDot<Madd, R, RaisedHalves>(rows));
  } else if (args.weight.dtype == Dtype::bf16) {
    few_rows<R>(args, m, HalfDot<Madd, R, Bf16Halves>(rows));
  } else {
    few_rows<R>(args, m, FloatDot<Madd, R>(rows, args.weight.dtype));
  }
}

template <class Madd>
inline void many_rows(const LinearArgs& args) {
  const TensorView& weight = args.weight;
  const size_t k_all = static_cast<size_t>(weight.shape[1]);
  const DtypeTraits& traits = dtype_traits(weight.dtype);
  const auto packer = [&](size_t n, size_t n_count, size_t k, size_t k_count, float* memory,
                          float* panel) {
    const float* rows[kTileColumns];
    for (size_t c = 0; c < kTileColumns; ++c) {
      // Columns beyond the last repeat it; what they give is dropped.
      if (c >= n_count) {
        rows[c] = rows[n_count - 1];
        continue;
      }
      const uint8_t* source =
          weight.row(n + c) + k / traits.elements_per_block * traits.bytes_per_block;
      if (weight.dtype == Dtype::f32) {
        rows[c] = reinterpret_cast<const float*>(source);
      } else {
        rows[c] = memory + c * k_count;
        if (weight.layout == WeightLayout::rescaled_halves) {
          expand_rescaled_halves(source, k_count, memory + c * k_count);
        } else {
          dequantize_row_simd128(weight.dtype, source, k_count, memory + c * k_count);
        }
      }
    }
    transpose_to_panel(rows, k_count, panel);
  };
  panel_product<Madd>({.rows = args.rows,
                       .n_count = static_cast<size_t>(weight.shape[0]),
                       .k_count = k_all,
                       .x = args.x,
                       .x_stride = args.x_stride,
                       .bias = args.bias,
                       .y = args.y,
                       .y_stride = args.y_stride,
                       .epilogue = args.epilogue,
                       .scratch = args.scratch.data()},
                      packer);
}

/// Weights as float_panels. A sum has the order that it has in many_rows(), up to kPanelDepth columns.
template <class Madd>
inline void panel_linear(const LinearArgs& args) {
  const size_t n_count = static_cast<size_t>(args.weight.shape[0]);
  const size_t k_count = static_cast<size_t>(args.weight.shape[1]);
  const PanelProduct product = {.rows = args.rows,
                                .n_count = n_count,
                                .k_count = k_count,
                                .x = args.x,
                                .x_stride = args.x_stride,
                                .bias = args.bias,
                                .y = args.y,
                                .y_stride = args.y_stride,
                                .epilogue = args.epilogue,
                                .scratch = args.scratch.data()};
  for (size_t n = 0; n < n_count; n += LinearScratch::kPanelColumns) {
    multiply_panel<Madd>(product, args.weight.f32() + n * k_count, n,
                         std::min(LinearScratch::kPanelColumns, n_count - n), 0, k_count, true,
                         true);
  }
}

/// Weights of floats, and unpacked ones of the block types.
template <class Madd>
inline void row_linear(const LinearArgs& args) {
  const TensorView& weight = args.weight;
  if (weight.layout == WeightLayout::float_panels) return panel_linear<Madd>(args);
  // The path for few rows needs float weights, and scratch memory for prepared rows or an expanded row of weights. Unpacked
  // block types are expanded as for many rows.
  if (args.rows > kFewRows || is_block_dtype(weight.dtype) ||
      args.scratch.size() < 2 * weight.shape[1]) {
    return many_rows<Madd>(args);
  }
  size_t m = 0;
  for (; m + 2 <= args.rows; m += 2) few_rows_of_type<Madd, 2>(args, m);
  if (m < args.rows) few_rows_of_type<Madd, 1>(args, m);
  for (m = 0; args.epilogue == Epilogue::gelu && m < args.rows; ++m) {
    float* y = args.y + m * args.y_stride;
    gelu<Madd>(static_cast<size_t>(weight.shape[0]), y, y);
  }
}

}  // namespace susurrus::simd
