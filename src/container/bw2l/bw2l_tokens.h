#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace susurrus {

/// The tokens text, one index for each line that is not empty: its first word; the others are synonyms.
///
/// Errors name the byte of the file, whose text begins at `file_offset`: no token at all, or a word twice
/// (bad_vocabulary); more words than any vocabulary has (limit_exceeded).
Result<std::vector<std::string>> parse_bw2l_tokens(std::string_view text, uint64_t file_offset);

}  // namespace susurrus
