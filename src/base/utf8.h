#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace susurrus {

/// U+FFFD replaces bytes that are not a character.
inline constexpr char32_t kReplacementCharacter = 0xFFFD;

/// One step through UTF-8: strict, with no overlong forms, no surrogates, nothing above U+10FFFF.
struct Utf8Step {
  char32_t point = kReplacementCharacter;
  /// Bytes it takes: of the character, or, when invalid, of the longest piece that could have begun one (at least 1).
  size_t byte_count = 1;
  bool is_valid = false;
  /// The text ends inside a character that is right so far.
  bool is_cut = false;
};
/// `text` must not be empty.
Utf8Step next_utf8(std::string_view text);

/// The last bytes are the beginning of a character.
bool ends_inside_character(std::string_view text);

/// Position of the first byte that is not valid UTF-8, or nullopt.
std::optional<size_t> find_invalid_utf8(std::string_view text);

/// Valid UTF-8 without control characters, which would steer a terminal.
bool is_plain_text(std::string_view text);

/// Appends the UTF-8 of a code point, at most U+10FFFF.
void append_utf8(char32_t point, std::string& out);

/// The text with U+FFFD in place of what is not valid UTF-8.
std::string replace_invalid_utf8(std::string_view text);

}  // namespace susurrus
