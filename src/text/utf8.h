#pragma once
#include <string>
#include <string_view>

namespace susurrus {

/// One step through UTF-8.
struct Utf8Step {
  char32_t point = 0xFFFD;
  /// Bytes it takes: of the character, or, when invalid, of the longest piece that could have begun one (at least 1).
  size_t byte_count = 1;
  bool is_valid = false;
  /// The text ends inside a character that is right so far.
  bool is_cut = false;
};
/// `text` must not be empty.
Utf8Step next_utf8(std::string_view text);

void append_utf8(char32_t point, std::string& out);

/// `bytes` with every piece that is not UTF-8 replaced by U+FFFD, piece by piece as Python's errors="replace" does it.
std::string to_valid_utf8(std::string_view bytes);

/// Without white space at both ends, in the sense of Python's str.strip(). `text` is valid UTF-8.
std::string_view strip_white_space(std::string_view text);

}  // namespace susurrus
