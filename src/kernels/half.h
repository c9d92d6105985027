#pragma once
#include <bit>
#include <cstdint>
#include <cstring>

namespace susurrus {

/// Two little-endian bytes at any address.
inline uint16_t load_u16(const uint8_t* bytes) {
  return static_cast<uint16_t>(bytes[0] | bytes[1] << 8);
}

/// Exact for every half: subnormals, infinities and NaN (whose payload is kept).
inline float f32_from_f16(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000) << 16;
  const uint32_t exponent = (half >> 10) & 31;
  const uint32_t mantissa = half & 0x3ff;
  if (exponent == 0) {
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    return std::bit_cast<float>(std::bit_cast<uint32_t>(magnitude) | sign);
  }
  const uint32_t wide_exponent = exponent == 31 ? 255 : exponent + (127 - 15);
  return std::bit_cast<float>(sign | wide_exponent << 23 | mantissa << 13);
}

/// Nearest half, ties to even; beyond the largest half: infinity. NaN stays NaN.
inline uint16_t f16_from_f32(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = bits >> 16 & 0x8000;
  const uint32_t magnitude = bits & 0x7FFFFFFF;
  if (magnitude > 0x7F800000)
    return static_cast<uint16_t>(sign | 0x7E00 | (magnitude >> 13 & 0x3FF));
  if (magnitude >= 0x47800000) return static_cast<uint16_t>(sign | 0x7C00);
  if (magnitude < 0x38800000) {
    // A subnormal half: adding 0.5 puts its unit, 2^-24, at the end of the mantissa and rounds to even.
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(shifted) - 0x3F000000));
  }
  const uint32_t rebiased = magnitude - (112u << 23);
  const uint32_t rounded = rebiased + 0xFFF + (rebiased >> 13 & 1);
  return static_cast<uint16_t>(sign | rounded >> 13);
}

/// The upper half of an f32.
inline float f32_from_bf16(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

}  // namespace susurrus
