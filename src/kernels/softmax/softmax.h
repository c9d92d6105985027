#pragma once
#include <cstddef>

namespace susurrus {

/// x[r, c] = exp(x[r, c] - max_r) / sum_c' exp(x[r, c'] - max_r), in place, max_r = max over the
/// row.
///
/// x       (rows, columns), rows `stride` floats apart; stride >= columns
/// -inf gives 0; a row of nothing but -inf gives zeros, not NaN
/// Error   |y - exact| <= (1e-6 + 2^-22 * (max_r - x)) * exact + 1e-37: the difference is rounded
///         to f32 (and once more in units of ln 2), and differences below -87 give 0
using SoftmaxFn = void(size_t rows, size_t columns, float* x, size_t stride);

SoftmaxFn softmax_reference;
SoftmaxFn softmax_simd128;

}  // namespace susurrus
