#pragma once
#include <cstddef>

namespace susurrus {

/// sum_i exp(t_i), t_i = (x[i] - maximum) * scale; no x is above `maximum`, scale > 0 and finite.
///
/// -inf adds nothing; 0 for no values, or when `maximum` is -inf
/// Error   |sum - exact| <= sum_i (2.5e-6 + 2^-22 |t_i|) exp(t_i) + count * 2e-38: t_i is rounded to f32, values below -87
///         add nothing, and f32 sums of 256 values are added up in f64
using ExponentialSumFn = double(size_t count, const float* x, float maximum, float scale);

ExponentialSumFn exponential_sum_reference;
ExponentialSumFn exponential_sum_simd128;

}  // namespace susurrus
