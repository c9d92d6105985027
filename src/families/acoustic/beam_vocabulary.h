#pragma once
#include <limits>
#include <memory>
#include <optional>

#include "families/acoustic/arpa_model.h"
#include "families/acoustic/lexicon.h"

namespace susurrus {

/// Options of a beam search, with flashlight's meaning and the defaults of talonvoice/w2ldecode.
struct BeamOptions {
  /// Hypotheses that are kept after each frame, and tokens that are tried in each.
  uint32_t beam_size = 500;
  uint32_t beam_size_token = 100;
  /// Hypotheses that are worse than the best by more are dropped.
  double beam_threshold = 25;
  double lm_weight = 1;
  /// Added for each word, for each unknown word (minus infinity: there are none), and for each frame of silence.
  double word_score = 1;
  double unk_score = -std::numeric_limits<double>::infinity();
  double sil_score = 0;
  /// Hypotheses that write the same in other frames are added; else the best of them counts.
  bool log_add = false;
  Smearing smearing = Smearing::max;
  /// The language model is one of tokens. Without a lexicon it always is.
  bool is_token_model = false;
};

/// What a beam search over an acoustic model's tokens may write, and how likely that is: for any number of searches.
class BeamVocabulary {
 public:
  /// Both texts may be empty: without a lexicon tokens are free, without a language model all words are equally likely.
  /// `tokens` and ASG's `transitions` (empty for CTC) outlive it. Errors: invalid_argument names an option, those of the texts are
  /// Lexicon's and ArpaModel's, with "lexicon: " or "language model: " before the subject.
  static Result<std::unique_ptr<BeamVocabulary>> make(const AcousticTokens& tokens,
                                                      std::span<const float> transitions,
                                                      const BeamOptions& options,
                                                      std::string_view lexicon_text,
                                                      std::string_view arpa_text);

  const BeamOptions& options() const { return options_; }
  const AcousticTokens& tokens() const { return *tokens_; }
  std::span<const float> transitions() const { return transitions_; }
  /// Null where tokens are free.
  const Lexicon* lexicon() const { return lexicon_ ? &*lexicon_ : nullptr; }
  const ArpaModel* model() const { return model_ ? &*model_ : nullptr; }
  /// The language model's numbers of the symbols: tokens, or the lexicon's words and behind them <unk>.
  std::span<const uint32_t> model_words() const { return model_words_; }
  bool is_token_model() const { return options_.is_token_model; }
  /// "|", else "_", else the first token.
  uint32_t silence() const { return silence_; }
  /// The symbol of a word that the lexicon does not have.
  uint32_t unknown_word() const { return static_cast<uint32_t>(lexicon_->words().size()); }
  std::string_view word_text(uint32_t word) const {
    return word == unknown_word() ? "<unk>" : std::string_view(lexicon_->words()[word]);
  }

 private:
  BeamVocabulary(const AcousticTokens& tokens, std::span<const float> transitions,
                 const BeamOptions& options);
  void connect();

  const AcousticTokens* tokens_;
  std::span<const float> transitions_;
  BeamOptions options_;
  std::optional<Lexicon> lexicon_;
  std::optional<ArpaModel> model_;
  std::vector<uint32_t> model_words_;
  uint32_t silence_ = 0;
};

}  // namespace susurrus
