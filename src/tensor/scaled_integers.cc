#include "tensor/scaled_integers.h"

#include <bit>

namespace susurrus {
namespace {

constexpr float kLeastNormalHalf = 0x1p-14f;
constexpr float kLargestHalf = 65504.0f;
constexpr size_t kBlock = 32;

}  // namespace

Dtype dtype_of_scaled_integers(float scale, const Shape& shape, bool is_matrix) {
  const bool has_half = scale >= kLeastNormalHalf && scale <= kLargestHalf;
  return is_matrix && has_half && shape.last() % kBlock == 0 ? Dtype::q8_0 : Dtype::f32;
}

uint16_t half_of_scale(float scale) {
  const uint32_t rebiased = std::bit_cast<uint32_t>(scale) - (112u << 23);
  return static_cast<uint16_t>((rebiased + 0xFFF + (rebiased >> 13 & 1)) >> 13);
}

void spread_scaled_integers(Dtype dtype, float scale, MutableByteSpan bytes) {
  uint8_t* to = bytes.data();
  const uint8_t* end = to + bytes.size();
  if (dtype == Dtype::f32) {
    const size_t count = bytes.size() / sizeof(float);
    // What is written ends before what is still to be read.
    for (const uint8_t* from = end - count; from < end; ++from, to += sizeof(float)) {
      store_le(to, static_cast<float>(static_cast<int8_t>(*from)) * scale);
    }
    return;
  }
  const uint32_t block_bytes = dtype_traits(Dtype::q8_0).bytes_per_block;
  const uint16_t half = half_of_scale(scale);
  const size_t count = bytes.size() / block_bytes;
  for (const uint8_t* from = end - count * kBlock; from < end; from += kBlock, to += block_bytes) {
    std::memmove(to + sizeof half, from, kBlock);
    store_le(to, half);
  }
}

}  // namespace susurrus
