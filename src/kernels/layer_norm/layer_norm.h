#pragma once
#include <cstddef>

namespace susurrus {

inline constexpr float kLayerNormEpsilon = 1e-5f;

/// y[r, c] = (x[r, c] - mean_r) / sqrt(variance_r + 1e-5) * gamma[c] + beta[c],
/// mean and (biased) variance over row r, the variance taken around the mean in a second pass.
///
/// x, y    (rows, columns), rows x_stride and y_stride floats apart; y may be x; columns >= 1
/// Error   |y - exact| <= 1e-6 * (|normalised * gamma| + |beta|) + 4e-7 * |gamma| * max|x| /
///         deviation
using LayerNormFn = void(size_t rows, size_t columns, const float* x, size_t x_stride,
                         const float* gamma, const float* beta, float* y, size_t y_stride);

LayerNormFn layer_norm_reference;
LayerNormFn layer_norm_simd128;

}  // namespace susurrus
