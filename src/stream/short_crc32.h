#pragma once
#include "base/bytes.h"

namespace susurrus {

/// CRC-32 (as RunningCrc32 has it) of what `crc32` covers and of these bytes behind it, bit by bit: for a few bytes.
inline uint32_t short_crc32(uint32_t crc32, ByteSpan bytes) {
  crc32 = ~crc32;
  for (const uint8_t byte : bytes) {
    crc32 ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc32 = crc32 >> 1 ^ ((crc32 & 1) != 0 ? 0xEDB88320u : 0);
  }
  return ~crc32;
}

}  // namespace susurrus
