#pragma once
#include <vector>

#include "text/tokenizer.h"

namespace susurrus {

/// Ids that stand for sounds and annotations rather than speech, ascending: the symbols of whisper-sources.md §4 as this
/// vocabulary encodes them.
std::vector<uint32_t> non_speech_tokens(const Tokenizer& tokenizer);

}  // namespace susurrus
