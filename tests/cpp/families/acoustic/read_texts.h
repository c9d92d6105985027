#pragma once
#include "families/acoustic/arpa_reader.h"
#include "families/acoustic/beam_vocabulary.h"
#include "families/acoustic/lexicon_reader.h"

namespace susurrus::testing {

/// Reads a text in pieces of `piece` bytes.
template <typename Reader>
auto read_text(Reader reader, std::string_view text, size_t piece) -> decltype(reader.finish()) {
  for (size_t at = 0; at < text.size(); at += piece) {
    // In memory of its own, so that a read past it is seen.
    const std::vector<char> part(
        text.begin() + static_cast<std::ptrdiff_t>(at),
        text.begin() + static_cast<std::ptrdiff_t>(std::min(at + piece, text.size())));
    SUSURRUS_RETURN_IF_ERROR(reader.push(as_bytes({part.data(), part.size()})));
  }
  return reader.finish();
}

inline Result<ArpaModel> read_arpa(std::string_view text, size_t piece = 1 << 20) {
  ArpaReader reader;
  reader.set_byte_count(text.size());
  return read_text(std::move(reader), text, piece);
}

inline Result<Lexicon> read_lexicon(std::string_view text, const AcousticTokens& tokens,
                                    size_t piece = 1 << 20) {
  return read_text(LexiconReader(tokens), text, piece);
}

/// Either text may be empty.
inline Result<std::unique_ptr<BeamVocabulary>> vocabulary_of(
    const AcousticTokens& tokens, std::span<const float> transitions, std::string_view lexicon,
    std::string_view arpa, const VocabularyOptions& options = {}) {
  std::optional<Lexicon> words;
  std::optional<ArpaModel> model;
  if (!lexicon.empty()) {
    SUSURRUS_ASSIGN_OR_RETURN(words, read_lexicon(lexicon, tokens));
  }
  if (!arpa.empty()) {
    SUSURRUS_ASSIGN_OR_RETURN(model, read_arpa(arpa));
  }
  return BeamVocabulary::make(tokens, transitions, options, std::move(words), std::move(model));
}

}  // namespace susurrus::testing
