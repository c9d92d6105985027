#pragma once
#include <cstdint>

#include "container/dtype.h"

namespace susurrus {

/// Searches the scale (and minimum) of one block of 32 values of q4_0, q4_1, q5_0 or q5_1 for the
/// least squared error. Never worse than quantize_block(), whose block it returns if it finds no
/// better one or a value is not finite.
void fit_block(Dtype dtype, const float* values, uint8_t* block);

}  // namespace susurrus
