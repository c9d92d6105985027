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
/// Order   floats: a row among up to four gives the bits it gives alone; among more it is summed in
///         another order, so the two agree within the bound only. Panels: always the bits alone; those of floats
///         give the bits that x and W give with their roles exchanged, if W's rows are more than four then, up to
///         LinearScratch::kPanelDepth columns
/// Error   before gelu: |y - exact| <= 2^-24 * (sqrt(K) + 8) * (sum_k |x[m, k] * W[n, k]| + |bias|
///         + |y before|); gelu adds its own (gelu.h). Panels: besides, for each block of 32
///         max |x[m, k]| / (2 L) * sum_k |W[n, k]|, where activations have L levels on either side of 0 (63 to
///         127: relaxed; 32767: simd128), or L * 2 L with is_fine or beside an outlier
using LinearFn = void(const LinearArgs& args);

LinearFn linear_reference;
LinearFn linear_simd128;
LinearFn linear_relaxed;
/// linear_relaxed as it is on machines whose dot product takes seven bits: for tests.
LinearFn linear_relaxed_seven_bits;
/// linear_relaxed for panels_of_2, with integers as simd128 has them.
LinearFn linear_relaxed_in_pairs;
/// Whether the relaxed dot product of this engine takes its operands as the standard says. V8 before 11.4 (Node 20, behind a
/// flag) exchanges them in code that is not optimised yet, and this check runs before it is.
bool relaxed_dot_is_sound();
/// Whether it takes activations of eight bits, in one instruction as a rule.
bool relaxed_dot_takes_bytes();

}  // namespace susurrus
