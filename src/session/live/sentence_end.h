#pragma once
#include <string_view>

namespace susurrus {

/// The word ends a sentence, as far as its marks tell: "no." and "why?”", not "Mr." or "J.".
bool ends_sentence(std::string_view word);

/// There is a letter or a digit in it.
bool has_letters(std::string_view text);

}  // namespace susurrus
