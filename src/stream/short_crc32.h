#pragma once
#include "base/bytes.h"

namespace susurrus {

/// CRC-32 (as RunningCrc32 has it) of what `crc32` covers and of these bytes after it, bit by bit: for a few bytes.
inline uint32_t short_crc32(uint32_t crc32, ByteSpan bytes) {
  crc32 = ~crc32;
  for (const uint8_t byte : bytes) {
    crc32 ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc32 = crc32 >> 1 ^ ((crc32 & 1) != 0 ? 0xEDB88320u : 0);
  }
  return ~crc32;
}

/// The four bytes that, put after what `crc32` covers, make its CRC-32 `wanted`; little-endian.
inline uint32_t crc32_patch(uint32_t crc32, uint32_t wanted) {
  uint32_t before = ~wanted;
  for (int bit = 0; bit < 32; ++bit) {
    before = (before & 0x80000000u) != 0 ? (before ^ 0xEDB88320u) << 1 | 1 : before << 1;
  }
  return before ^ ~crc32;
}

}  // namespace susurrus
