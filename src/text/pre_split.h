#pragma once
#include <cstddef>
#include <string_view>

namespace susurrus {

/// Byte count of the first pre-token of `text` (not empty), in GPT-2's pattern:
/// 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
/// White space is Unicode's White_Space. Bytes that are not UTF-8 count as other characters.
size_t first_pre_token(std::string_view text);

}  // namespace susurrus
