#include "kernels/weight_panels/raised_halves.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

namespace susurrus {
namespace {

constexpr uint32_t kSign = 0x8000;
constexpr uint32_t kFirstNormal = 0x400;
constexpr uint32_t kFirstTooLarge = 0x5400;  // 64

/// Of a half without its sign.
uint32_t raised(uint32_t magnitude) {
  // A subnormal is an integer times 2^-24: as a float it has the mantissa wanted, and the exponent but for a constant.
  const uint32_t bits =
      std::bit_cast<uint32_t>(static_cast<float>(static_cast<int32_t>(magnitude)));
  const uint32_t subnormal = magnitude == 0 ? 0 : (bits >> 13) - (126u << 10);
  return magnitude < kFirstNormal ? subnormal : magnitude + (uint32_t{kRaisedBits} << 10);
}

}  // namespace

bool raise_halves(MutableByteSpan halves) {
  const size_t count = halves.size() / 2;
  uint16_t largest = 0;
  for (size_t i = 0; i < count; ++i) {
    uint16_t half;
    std::memcpy(&half, halves.data() + 2 * i, sizeof half);
    largest = std::max<uint16_t>(largest, half & 0x7FFF);
  }
  if (largest >= kFirstTooLarge) return false;
  for (size_t i = 0; i < count; ++i) {
    uint16_t half;
    std::memcpy(&half, halves.data() + 2 * i, sizeof half);
    half = static_cast<uint16_t>((half & kSign) | raised(half & ~kSign));
    std::memcpy(halves.data() + 2 * i, &half, sizeof half);
  }
  return true;
}

}  // namespace susurrus
