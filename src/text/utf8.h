#pragma once
#include <string>
#include <string_view>

#include "base/utf8.h"

namespace susurrus {

void append_utf8(char32_t point, std::string& out);

/// `bytes` with every piece that is not UTF-8 replaced by U+FFFD, piece by piece as Python's errors="replace" does it.
std::string to_valid_utf8(std::string_view bytes);

/// Without white space at both ends, in the sense of Python's str.strip(). `text` is valid UTF-8.
std::string_view strip_white_space(std::string_view text);

}  // namespace susurrus
