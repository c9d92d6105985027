// Tokenizers of a few tokens.
#pragma once
#include <string>
#include <vector>

#include "text/tokenizer.h"

namespace susurrus::testing {

inline VocabularyBytes table_of(const std::vector<std::string>& tokens) {
  std::vector<uint8_t> bytes;
  std::vector<uint32_t> ends;
  for (const std::string& token : tokens) {
    bytes.insert(bytes.end(), token.begin(), token.end());
    ends.push_back(static_cast<uint32_t>(bytes.size()));
  }
  return VocabularyBytes(std::move(bytes), std::move(ends));
}

/// A token for each byte, its value the id.
inline std::vector<std::string> byte_tokens() {
  std::vector<std::string> tokens;
  for (int byte = 0; byte < 256; ++byte) tokens.emplace_back(1, static_cast<char>(byte));
  return tokens;
}

inline Tokenizer tokenizer_of(const std::vector<std::string>& tokens, uint32_t n_vocab) {
  Vocabulary vocabulary(table_of(tokens));
  SpecialTokens special = SpecialTokens::locate(vocabulary, n_vocab, std::nullopt);
  return Tokenizer(std::move(vocabulary), std::move(special));
}

}  // namespace susurrus::testing
