#pragma once
#include "kernels/kernel_table.h"

namespace susurrus {

/// y[t, o] = gelu(bias[o] + sum_{j < 3, c < C} W[o, c, j] * x[t * stride + j, c]),
/// t < frames_out, o < O
///
/// x       rows of C >= 1 floats, contiguous; row 0 is the zero row of the padding, so there are
///         stride * (frames_out - 1) + 3 rows
/// W       (O, C, 3), f32, f16 or bf16, as dequantize_row.h
/// bias    O floats, or null for none
/// y       (frames_out, O), contiguous; does not overlap x
/// Error   as linear.h with K = 3 C, then gelu.h
using ConvGeluFn = void(const ConvArgs& args);

ConvGeluFn conv_gelu_reference;
ConvGeluFn conv_gelu_simd128;
ConvGeluFn conv_gelu_relaxed;

}  // namespace susurrus
