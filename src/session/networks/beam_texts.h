#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "families/acoustic/arpa_reader.h"
#include "families/acoustic/lexicon_reader.h"

namespace susurrus {

/// The files beside a BW2L model that its beam search needs, one after the other: a lexicon, and a language model as ARPA text.
class BeamTexts {
 public:
  /// The tokens outlive it.
  explicit BeamTexts(const AcousticTokens& tokens) : tokens_(&tokens) {}

  /// The next text, once each: "lexicon" or "languageModel".
  Status begin(std::string_view name, std::optional<uint64_t> byte_count);
  /// Errors of the text's reader, with "lexicon: " or "language model: " before their subject.
  Status push(ByteSpan piece);
  Status finish();

  std::optional<Lexicon> lexicon;
  std::optional<ArpaModel> language_model;
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  const AcousticTokens* tokens_;
  /// The reader of the current text is set, the other one is null.
  std::unique_ptr<LexiconReader> lexicon_reader_;
  std::unique_ptr<ArpaReader> arpa_reader_;
  std::vector<std::string> warnings_;
};

}  // namespace susurrus
