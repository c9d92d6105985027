#pragma once
#include <cstdint>

#include "base/bytes.h"
#include "kernels/half.h"

namespace susurrus {

/// f16 weights multiplied by 2^kRescaleBits, so that none is subnormal. Without subnormals, infinities and NaN a half becomes
/// a float by a shift and a multiplication; otherwise each would need a test.
inline constexpr int kRescaleBits = 10;

/// Rescales little-endian f16 weights in place, exactly. False, and nothing changed, where one is 64 or more, infinite or NaN.
bool rescale_halves(MutableByteSpan halves);

inline float f32_from_rescaled_half(uint16_t half) { return f32_from_f16(half) * 0x1p-10f; }

}  // namespace susurrus
