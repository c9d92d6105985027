#include "text/utf8.h"

#include <cstdint>

#include "text/unicode_class.h"

namespace susurrus {
namespace {

// str.strip() takes the four information separators as white space; the Unicode property does not.
bool is_strippable(char32_t point) {
  return is_white_space(point) || (point >= 0x1C && point <= 0x1F);
}

}  // namespace

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
    if (i == text.size()) return {0xFFFD, i, false, true};
    uint8_t next = byte(i);
    if (next < low || next > high) return {0xFFFD, i, false, false};
    low = 0x80;
    high = 0xBF;
    point = (point << 6) | (next & 0x3F);
  }
  return {point, length, true, false};
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

std::string to_valid_utf8(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    Utf8Step step = next_utf8(bytes);
    if (step.is_valid) {
      out.append(bytes.substr(0, step.byte_count));
    } else {
      append_utf8(0xFFFD, out);
    }
    bytes.remove_prefix(step.byte_count);
  }
  return out;
}

std::string_view strip_white_space(std::string_view text) {
  while (!text.empty()) {
    Utf8Step step = next_utf8(text);
    if (!is_strippable(step.point)) break;
    text.remove_prefix(step.byte_count);
  }
  while (!text.empty()) {
    size_t begin = text.size() - 1;
    while (begin > 0 && (static_cast<uint8_t>(text[begin]) & 0xC0) == 0x80) --begin;
    if (!is_strippable(next_utf8(text.substr(begin)).point)) break;
    text = text.substr(0, begin);
  }
  return text;
}

}  // namespace susurrus
