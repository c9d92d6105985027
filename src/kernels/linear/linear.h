#pragma once
#include <cstddef>

#include "kernels/kernel_table.h"

namespace susurrus {

/// y[m, n] = epilogue(sum_k x[m, k] * W[n, k] + bias[n]),  m < rows, n < N, W of shape (N, K)
///
/// x       (rows, K), rows x_stride floats apart. Rows may overlap (x_stride < K): a convolution is
///         a linear layer
/// W       f32, f16, bf16, q8_0, q4_0, q4_1, q5_0, q5_1, expanded as dequantize_row.h says
/// y       (rows, N), rows y_stride floats apart; overlaps nothing
/// rows, N, K of any size, 0 included (K = 0 leaves the bias alone)
/// Order   a row among up to four gives the bits it gives alone; among more it is summed in another
///         order, so the two agree within the bound only
/// Error   before gelu: |y - exact| <= 2^-24 * (sqrt(K) + 8) * (sum_k |x[m, k] * W[n, k]| + |bias|
///         + |y before|); gelu adds its own (gelu.h)
using LinearFn = void(const LinearArgs& args);

LinearFn linear_reference;
LinearFn linear_simd128;
LinearFn linear_relaxed;
/// What linear_relaxed does where a machine multiplies seven-bit codes only: for tests.
LinearFn linear_relaxed_seven_bits;

}  // namespace susurrus
