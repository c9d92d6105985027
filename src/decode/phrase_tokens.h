#pragma once
#include <string_view>
#include <vector>

#include "text/tokenizer.h"

namespace susurrus {

/// The two spellings of a phrase in tokens.
struct PhraseTokens {
  /// With a space in front: after other words, and mostly at the beginning too.
  std::vector<uint32_t> spaced;
  /// Without one: where a text begins.
  std::vector<uint32_t> bare;
  /// Its script writes no spaces, so the bare spelling is the usual one everywhere.
  bool is_unspaced = false;
};

/// White space around `phrase` does not count. Both spellings are empty if there is nothing else.
PhraseTokens phrase_tokens(const Tokenizer& tokenizer, std::string_view phrase);

}  // namespace susurrus
