#include "text/unicode_class.h"

#include <cstdint>
#include <span>

namespace susurrus {
namespace {

#include "text/unicode_tables.inc"

/// `runs`: how many code points in turn are outside and inside, seven bits a byte, the eighth set where more follow.
bool contains(std::span<const uint8_t> runs, char32_t point) {
  bool is_inside = false;
  uint32_t end = 0;
  uint32_t shift = 0;
  for (const uint8_t byte : runs) {
    end += (byte & 127u) << shift;
    shift += 7;
    if (byte >= 128) continue;
    if (point < end) return is_inside;
    is_inside = !is_inside;
    shift = 0;
  }
  return false;
}

}  // namespace

bool is_letter(char32_t point) {
  if (point < 0x80) return (point | 0x20) >= 'a' && (point | 0x20) <= 'z';
  return contains(kLetterRuns, point);
}

bool is_number(char32_t point) {
  if (point < 0x80) return point >= '0' && point <= '9';
  return contains(kNumberRuns, point);
}

bool is_white_space(char32_t point) {
  return (point >= 0x09 && point <= 0x0D) || point == 0x20 || point == 0x85 || point == 0xA0 ||
         point == 0x1680 || (point >= 0x2000 && point <= 0x200A) || point == 0x2028 ||
         point == 0x2029 || point == 0x202F || point == 0x205F || point == 0x3000;
}

}  // namespace susurrus
