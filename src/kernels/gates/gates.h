#pragma once
#include <cstddef>

namespace susurrus {

/// The two functions of recurrent networks' gates; y may be x.
///
///   sigmoid   y[i] = 1 / (1 + exp(-x[i]))
///   tanh      y[i] = tanh(x[i])
///
/// Infinities give the limits, NaN gives NaN
/// Error   |y - exact| <= 4e-7; of tanh also |y - exact| <= 5e-7 |exact|, so that small values keep their digits
using GateFn = void(size_t count, const float* x, float* y);

GateFn sigmoid_reference;
GateFn sigmoid_simd128;
GateFn tanh_reference;
GateFn tanh_simd128;

}  // namespace susurrus
