#pragma once
#include <cstddef>

namespace susurrus {

/// y[i] += x[i], i < count. Rounded once: every variant gives the same bits. x and y do not
/// overlap, or are the same.
using AddFn = void(size_t count, const float* x, float* y);

AddFn add_reference;
AddFn add_simd128;

}  // namespace susurrus
