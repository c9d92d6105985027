#pragma once
#include <cstdint>
#include <string>

namespace susurrus {

/// A checksum as errors and manifests have it: "0x1234abcd".
inline std::string crc32_text(uint32_t crc32) {
  std::string text = "0x";
  for (int shift = 28; shift >= 0; shift -= 4) text += "0123456789abcdef"[crc32 >> shift & 15];
  return text;
}

}  // namespace susurrus
