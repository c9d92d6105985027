#pragma once
#include <string>
#include <string_view>

namespace susurrus {

/// Letters and digits of a text alone, ASCII in lower case: what is left of it in whichever way it is written down.
std::string spoken_letters(std::string_view text);

}  // namespace susurrus
