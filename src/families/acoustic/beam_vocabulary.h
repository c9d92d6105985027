#pragma once
#include <memory>
#include <optional>

#include "families/acoustic/arpa_model.h"
#include "families/acoustic/lexicon.h"
#include "families/acoustic/token_decoding.h"

namespace susurrus {

/// What a language model is of, and how it is looked ahead to.
struct VocabularyOptions {
  Smearing smearing = Smearing::max;
  /// The language model is one of tokens. Without a lexicon it always is.
  bool is_token_model = false;
};

/// What beam searches over an acoustic model's tokens may write, and how likely that is: for any number of searches.
class BeamVocabulary {
 public:
  /// Without a lexicon tokens are free, without a language model all words are equally likely. `tokens` and ASG's `transitions` (empty
  /// for CTC) outlive it. invalid_argument, subject "languageModel": one that knows neither a word of the lexicon nor, where it is one
  /// of tokens, a token.
  static Result<std::unique_ptr<BeamVocabulary>> make(const AcousticTokens& tokens,
                                                      std::span<const float> transitions,
                                                      const VocabularyOptions& options,
                                                      std::optional<Lexicon> lexicon,
                                                      std::optional<ArpaModel> model);

  const AcousticTokens& tokens() const { return *tokens_; }
  std::span<const float> transitions() const { return transitions_; }
  /// Null where tokens are free.
  const Lexicon* lexicon() const { return lexicon_ ? &*lexicon_ : nullptr; }
  const ArpaModel* model() const { return model_ ? &*model_ : nullptr; }
  /// The language model's numbers of the symbols: tokens, or the lexicon's words and after them <unk>.
  std::span<const uint32_t> model_words() const { return model_words_; }
  bool is_token_model() const { return options_.is_token_model; }
  /// "|", else "_", else the first token.
  uint32_t silence() const { return silence_; }
  /// The symbol of a word that the lexicon does not have.
  uint32_t unknown_word() const { return lexicon_->words().size(); }
  std::string_view word_text(uint32_t word) const {
    return word == unknown_word() ? "<unk>" : lexicon_->words().text(word);
  }

  uint64_t byte_count() const;

 private:
  BeamVocabulary(const AcousticTokens& tokens, std::span<const float> transitions,
                 const VocabularyOptions& options);
  Status connect();

  const AcousticTokens* tokens_;
  std::span<const float> transitions_;
  VocabularyOptions options_;
  std::optional<Lexicon> lexicon_;
  std::optional<ArpaModel> model_;
  std::vector<uint32_t> model_words_;
  uint32_t silence_ = 0;
};

}  // namespace susurrus
