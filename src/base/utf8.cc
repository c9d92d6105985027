#include "base/utf8.h"

#include <cstring>

namespace susurrus {

CodePoint code_point_at(std::string_view text, size_t position) {
  const uint8_t first = static_cast<uint8_t>(text[position]);
  if (first < 0x80) return {first, 1};
  size_t length = first >= 0xC2 && first < 0xE0   ? 2
                  : first >= 0xE0 && first < 0xF0 ? 3
                  : first >= 0xF0 && first < 0xF5 ? 4
                                                  : 0;
  if (length == 0 || length > text.size() - position) return {};
  char32_t value = first & (0x7F >> length);
  for (size_t i = 1; i < length; ++i) {
    const uint8_t next = static_cast<uint8_t>(text[position + i]);
    if ((next & 0xC0) != 0x80) return {};
    value = value << 6 | (next & 0x3F);
  }
  if (length == 3 && (value < 0x800 || (value >= 0xD800 && value < 0xE000))) return {};
  if (length == 4 && (value < 0x10000 || value > 0x10FFFF)) return {};
  return {value, length};
}

std::optional<size_t> find_invalid_utf8(std::string_view text) {
  size_t position = 0;
  while (position < text.size()) {
    // Eight ASCII bytes at a time: metadata are nearly all ASCII.
    uint64_t word;
    if (text.size() - position >= sizeof word) {
      std::memcpy(&word, text.data() + position, sizeof word);
      if ((word & 0x8080808080808080ull) == 0) {
        position += sizeof word;
        continue;
      }
    }
    CodePoint point = code_point_at(text, position);
    if (point.byte_count == 0) return position;
    position += point.byte_count;
  }
  return std::nullopt;
}

}  // namespace susurrus
