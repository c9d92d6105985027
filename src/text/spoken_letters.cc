#include "text/spoken_letters.h"

#include "base/utf8.h"
#include "text/unicode_class.h"

namespace susurrus {

std::string spoken_letters(std::string_view text) {
  std::string letters;
  while (!text.empty()) {
    const Utf8Step step = next_utf8(text);
    text.remove_prefix(step.byte_count);
    if (!is_letter(step.point) && !is_number(step.point)) continue;
    const bool is_upper = step.point >= U'A' && step.point <= U'Z';
    append_utf8(is_upper ? step.point + (U'a' - U'A') : step.point, letters);
  }
  return letters;
}

}  // namespace susurrus
