#include "text/unicode_class.h"

#include <algorithm>
#include <cstdint>
#include <span>

namespace susurrus {
namespace {

struct CodePointRange {
  uint32_t first;
  uint32_t last;
};

#include "text/unicode_tables.inc"

bool contains(std::span<const CodePointRange> ranges, char32_t point) {
  auto after = std::upper_bound(
      ranges.begin(), ranges.end(), point,
      [](char32_t value, const CodePointRange& range) { return value < range.first; });
  return after != ranges.begin() && point <= (after - 1)->last;
}

}  // namespace

bool is_letter(char32_t point) {
  if (point < 0x80) return (point | 0x20) >= 'a' && (point | 0x20) <= 'z';
  return contains(kLetterRanges, point);
}

bool is_number(char32_t point) {
  if (point < 0x80) return point >= '0' && point <= '9';
  return contains(kNumberRanges, point);
}

bool is_white_space(char32_t point) {
  return (point >= 0x09 && point <= 0x0D) || point == 0x20 || point == 0x85 || point == 0xA0 ||
         point == 0x1680 || (point >= 0x2000 && point <= 0x200A) || point == 0x2028 ||
         point == 0x2029 || point == 0x202F || point == 0x205F || point == 0x3000;
}

}  // namespace susurrus
