#pragma once
#include <cstddef>

namespace susurrus {

/// y[i] = x[i] * 0.5 * (1 + erf(x[i] / sqrt(2))), i < count: the exact GELU, not its tanh
/// approximation. y may be x.
///
/// -inf gives 0 or -0, +inf gives +inf, NaN gives NaN
/// Error   |y - exact| <= 1e-6 + 2^-23 * |exact|
using GeluFn = void(size_t count, const float* x, float* y);

GeluFn gelu_reference;
GeluFn gelu_simd128;
GeluFn gelu_relaxed;

}  // namespace susurrus
