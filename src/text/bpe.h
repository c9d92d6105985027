#pragma once
#include <string_view>
#include <vector>

#include "text/vocabulary.h"

namespace susurrus {

/// Appends the ids of one pre-token: itself when the vocabulary has it, else its bytes, merged pair by pair in the order
/// of rank (= id), leftmost first. Bytes that the vocabulary lacks are left out. Takes O(n log n) for n bytes.
void append_bpe(const Vocabulary& vocabulary, std::string_view pre_token,
                std::vector<uint32_t>& ids);

}  // namespace susurrus
