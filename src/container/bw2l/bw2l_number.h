#pragma once
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

namespace susurrus {

/// A finite decimal number that is the whole text; no hexadecimals, no names of numbers.
inline std::optional<double> parse_decimal(std::string_view text) {
  if (text.empty() || text.size() > 64 ||
      text.find_first_not_of("0123456789+-.eE") != std::string_view::npos) {
    return std::nullopt;
  }
  const std::string copy(text);
  char* end = nullptr;
  const double number = std::strtod(copy.c_str(), &end);
  if (end != copy.c_str() + copy.size() || !std::isfinite(number)) return std::nullopt;
  return number;
}

}  // namespace susurrus
