#pragma once
#include <span>
#include <string_view>

namespace susurrus {

/// A number with at most `digits` significant digits (1 to 17), rounded to the nearest, as printf's %.<digits>g has it. 17
/// digits name every double, 9 every float. The answer may lie in `room`.
std::string_view write_decimal(double number, int digits, std::span<char, 32> room);

/// The double nearest to a number spelt as JSON does it; an infinity when that is too large for one.
double read_decimal(std::string_view text);

}  // namespace susurrus
