#include "text/white_space.h"

#include <cstdint>

#include "base/utf8.h"
#include "text/unicode_class.h"

namespace susurrus {
namespace {

// str.strip() takes the four information separators as white space; the Unicode property does not.
bool is_strippable(char32_t point) {
  return is_white_space(point) || (point >= 0x1C && point <= 0x1F);
}

}  // namespace

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
