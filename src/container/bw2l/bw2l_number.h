#pragma once
#include <optional>
#include <string_view>

namespace susurrus {

/// A finite decimal number that is the whole text; no hexadecimals, no names of numbers.
std::optional<double> parse_decimal(std::string_view text);

}  // namespace susurrus
