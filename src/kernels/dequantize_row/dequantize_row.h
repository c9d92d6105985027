#pragma once
#include <cstddef>
#include <cstdint>

#include "container/dtype.h"

namespace susurrus {

/// y[i] = value of element i, i < count, for a row of f32, f16, bf16, q8_0, q4_0, q4_1, q5_0 or
/// q5_1.
///
/// source   any alignment
/// count    for the quantised types a multiple of 32
/// Exact: f16 and bf16 convert without rounding (subnormals, infinities and NaN included),
/// q8_0, q4_0 and q5_0 have an exact product, q4_1 and q5_1 round once, in f32. All variants give
/// the same bits (NaN: some NaN). A type that weights cannot have leaves zeros.
using DequantizeRowFn = void(Dtype dtype, const uint8_t* source, size_t count, float* y);

DequantizeRowFn dequantize_row_reference;
DequantizeRowFn dequantize_row_simd128;

}  // namespace susurrus
