#pragma once
#include "base/bytes.h"
#include "container/dtype.h"
#include "container/shape.h"

namespace susurrus {

/// The type that i8 weights with one scale for the tensor take where types are Whisper's own: q8_0 for a matrix whose rows
/// are whole blocks, with the same integers and the scale rounded to a half (relative error at most 2^-11); f32 for all
/// others, and where a half would be less exact: below 2^-14 or above 65504.
Dtype dtype_of_scaled_integers(float scale, const Shape& shape, bool is_matrix);

/// The half nearest to a scale in that range, ties to even.
uint16_t half_of_scale(float scale);

/// Spreads integers, which lie at the end of `bytes`, over the whole of it: values of `dtype`, f32 or q8_0, in the same order.
void spread_scaled_integers(Dtype dtype, float scale, MutableByteSpan bytes);

}  // namespace susurrus
