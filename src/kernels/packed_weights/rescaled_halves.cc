#include "kernels/packed_weights/rescaled_halves.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

namespace susurrus {
namespace {

constexpr uint32_t kSign = 0x8000;
constexpr uint32_t kFirstNormal = 0x400;
constexpr uint32_t kFirstTooLarge = 0x5400;  // 64

/// `magnitude` is a half without its sign.
uint32_t rescaled(uint32_t magnitude) {
  // A subnormal is an integer times 2^-24: as a float it has the mantissa wanted, and the exponent but for a constant.
  const uint32_t bits =
      std::bit_cast<uint32_t>(static_cast<float>(static_cast<int32_t>(magnitude)));
  const uint32_t subnormal = magnitude == 0 ? 0 : (bits >> 13) - (126u << 10);
  return magnitude < kFirstNormal ? subnormal : magnitude + (uint32_t{kRescaleBits} << 10);
}

void rescale(uint8_t* bytes) {
  const uint32_t half = load_u16(bytes);
  const auto result = static_cast<uint16_t>((half & kSign) | rescaled(half & ~kSign));
  std::memcpy(bytes, &result, sizeof result);
}

// The compiler makes no vectors of this loop by itself.
using Halves [[gnu::vector_size(16)]] = uint16_t;
using Words [[gnu::vector_size(16)]] = uint64_t;
constexpr size_t kTogether = sizeof(Halves) / 2;

/// If none of them is subnormal, adding to the exponents rescales all at once.
void rescale_together(uint8_t* bytes) {
  Halves halves;
  std::memcpy(&halves, bytes, sizeof halves);
  const auto subnormal = std::bit_cast<Words>((halves & uint16_t{0x7FFF}) < uint16_t{kFirstNormal});
  if ((subnormal[0] | subnormal[1]) != 0) {
    for (size_t i = 0; i < kTogether; ++i) rescale(bytes + 2 * i);
    return;
  }
  halves += uint16_t{kRescaleBits << 10};
  std::memcpy(bytes, &halves, sizeof halves);
}

/// Undoes the rescaling.
void lower(MutableByteSpan halves) {
  for (size_t at = 0; at + 2 <= halves.size(); at += 2) {
    const uint16_t half = f16_from_f32(f32_from_rescaled_half(load_u16(halves.data() + at)));
    std::memcpy(halves.data() + at, &half, sizeof half);
  }
}

uint16_t largest_magnitude(MutableByteSpan halves) {
  uint16_t largest = 0;
  for (size_t i = 0; i < halves.size() / 2; ++i) {
    uint16_t half;
    std::memcpy(&half, halves.data() + 2 * i, sizeof half);
    largest = std::max<uint16_t>(largest, half & 0x7FFF);
  }
  return largest;
}

/// Looked at and rescaled while they are in the first cache; a matrix may be larger than any.
constexpr size_t kTileBytes = 8192;

}  // namespace

bool rescale_halves(MutableByteSpan halves) {
  for (size_t begin = 0; begin < halves.size(); begin += kTileBytes) {
    const MutableByteSpan tile = halves.subspan(begin, std::min(kTileBytes, halves.size() - begin));
    if (largest_magnitude(tile) >= kFirstTooLarge) {
      lower(halves.first(begin));
      return false;
    }
    size_t at = 0;
    for (; at + 2 * kTogether <= tile.size(); at += 2 * kTogether)
      rescale_together(tile.data() + at);
    for (; at + 2 <= tile.size(); at += 2) rescale(tile.data() + at);
  }
  return true;
}

}  // namespace susurrus
