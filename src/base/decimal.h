#pragma once
#include <cstddef>
#include <string>

namespace susurrus {

/// `number` with `digits` significant digits, as printf's %.*g: exactly rounded, without trailing
/// zeros.
std::string decimal_text(double number, size_t digits);

/// The double nearest to a JSON number; infinity where none is near. `end` becomes where the number ends.
double read_decimal(const char* text, const char** end);

}  // namespace susurrus
