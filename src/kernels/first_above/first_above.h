#pragma once
#include <cstddef>

namespace susurrus {

/// The first i < count with x[i] > threshold, or `count`; exactly. NaN is above nothing.
using FirstAboveFn = size_t(size_t count, const float* x, float threshold);

FirstAboveFn first_above_reference;
FirstAboveFn first_above_simd128;

}  // namespace susurrus
