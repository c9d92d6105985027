#pragma once
#include <string_view>

namespace susurrus {

/// Without white space at both ends, in the sense of Python's str.strip(). `text` is valid UTF-8.
std::string_view strip_white_space(std::string_view text);

}  // namespace susurrus
