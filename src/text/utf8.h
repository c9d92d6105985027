#pragma once
#include <string>
#include <string_view>

#include "base/utf8.h"

namespace susurrus {

void append_utf8(char32_t point, std::string& out);

/// Without white space at both ends, in the sense of Python's str.strip(). `text` is valid UTF-8.
std::string_view strip_white_space(std::string_view text);

}  // namespace susurrus
