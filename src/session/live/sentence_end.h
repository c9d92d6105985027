#pragma once
#include <string_view>

namespace susurrus {

/// The word ends a sentence, as far as its marks tell: "no." and "why?”", not "Mr." or "J.".
bool ends_sentence(std::string_view word);

}  // namespace susurrus
