#include "container/bw2l/bw2l_number.h"

#include <cmath>
#include <string>

#include "base/decimal.h"

namespace susurrus {

std::optional<double> parse_decimal(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789";
  if (text.size() > 64) return std::nullopt;
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  // read_decimal() checks the rest: it stops at what does not belong to a number.
  const size_t first = text.find_first_of(kDigits);
  if (first > text.find_first_of("eE") || text.find_last_of("eE+-") + 1 == text.size()) {
    return std::nullopt;
  }
  const std::string copy(text);
  const char* end = nullptr;
  const double number = read_decimal(copy.c_str(), &end);
  if (first == std::string_view::npos || end != copy.c_str() + copy.size() ||
      !std::isfinite(number)) {
    return std::nullopt;
  }
  return number;
}

}  // namespace susurrus
