#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace susurrus {

struct CodePoint {
  char32_t value = 0;
  size_t byte_count = 0;  // 0: not UTF-8 at this place
};

/// The character at `position` < text.size(). Strict: no overlong forms, no surrogates, nothing above U+10FFFF.
CodePoint code_point_at(std::string_view text, size_t position);

/// Position of the first byte that is not valid UTF-8, or nullopt.
std::optional<size_t> find_invalid_utf8(std::string_view text);

}  // namespace susurrus
