#pragma once
#include <cstdint>

#include "base/bytes.h"
#include "kernels/half.h"

namespace susurrus {

/// Rescaled halves are a matrix's halves times 2^kRescaleBits, none of them subnormal, infinite or NaN: they become floats by
/// shifting bits, where others need a look at each.
inline constexpr int kRescaleBits = 10;

/// Rescales little-endian halves in place, exactly. False, and nothing changed, where one is 64 or more, infinite or NaN.
bool rescale_halves(MutableByteSpan halves);

inline float f32_from_rescaled_half(uint16_t half) { return f32_from_f16(half) * 0x1p-10f; }

}  // namespace susurrus
