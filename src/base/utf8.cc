#include "base/utf8.h"

#include <cstdint>
#include <cstring>

namespace susurrus {

Utf8Step next_utf8(std::string_view text) {
  auto byte = [&](size_t index) { return static_cast<uint8_t>(text[index]); };
  uint8_t lead = byte(0);
  if (lead < 0x80) return {lead, 1, true, false};

  // The second byte's range excludes overlong forms, surrogates and what lies beyond U+10FFFF.
  size_t length = 0;
  uint8_t low = 0x80;
  uint8_t high = 0xBF;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
    if (lead == 0xE0) low = 0xA0;
    if (lead == 0xED) high = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;
  } else {
    return {};
  }
  char32_t point = lead & (0x7F >> length);
  for (size_t i = 1; i < length; ++i) {
    if (i == text.size()) return {kReplacementCharacter, i, false, true};
    uint8_t next = byte(i);
    if (next < low || next > high) return {kReplacementCharacter, i, false, false};
    low = 0x80;
    high = 0xBF;
    point = (point << 6) | (next & 0x3F);
  }
  return {point, length, true, false};
}

bool ends_inside_character(std::string_view text) {
  while (!text.empty()) {
    const Utf8Step step = next_utf8(text);
    if (step.is_cut) return true;
    text.remove_prefix(step.byte_count);
  }
  return false;
}

std::optional<size_t> find_invalid_utf8(std::string_view text) {
  size_t position = 0;
  while (position < text.size()) {
    // Eight ASCII bytes at a time, and pairs of bytes without a call: that is what metadata are made of.
    uint64_t word;
    if (text.size() - position >= sizeof word) {
      std::memcpy(&word, text.data() + position, sizeof word);
      if ((word & 0x8080808080808080ull) == 0) {
        position += sizeof word;
        continue;
      }
    }
    const auto lead = static_cast<uint8_t>(text[position]);
    if (lead < 0x80) {
      ++position;
      continue;
    }
    if (lead >= 0xC2 && lead <= 0xDF && position + 1 < text.size() &&
        (text[position + 1] & 0xC0) == 0x80) {
      position += 2;
      continue;
    }
    const Utf8Step step = next_utf8(text.substr(position));
    if (!step.is_valid) return position;
    position += step.byte_count;
  }
  return std::nullopt;
}

bool is_plain_text(std::string_view text) {
  while (!text.empty()) {
    const Utf8Step step = next_utf8(text);
    const bool is_control = step.point < 0x20 || (step.point >= 0x7F && step.point < 0xA0);
    if (!step.is_valid || is_control) return false;
    text.remove_prefix(step.byte_count);
  }
  return true;
}

std::string replace_invalid_utf8(std::string_view text) {
  std::string valid;
  while (!text.empty()) {
    const Utf8Step step = next_utf8(text);
    valid += step.is_valid ? text.substr(0, step.byte_count) : std::string_view("\xEF\xBF\xBD");
    text.remove_prefix(step.byte_count);
  }
  return valid;
}

void append_utf8(char32_t point, std::string& out) {
  auto put = [&](uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (point < 0x80) {
    put(point);
  } else if (point < 0x800) {
    put(0xC0 | (point >> 6));
    put(0x80 | (point & 0x3F));
  } else if (point < 0x10000) {
    put(0xE0 | (point >> 12));
    put(0x80 | ((point >> 6) & 0x3F));
    put(0x80 | (point & 0x3F));
  } else {
    put(0xF0 | (point >> 18));
    put(0x80 | ((point >> 12) & 0x3F));
    put(0x80 | ((point >> 6) & 0x3F));
    put(0x80 | (point & 0x3F));
  }
}

}  // namespace susurrus
