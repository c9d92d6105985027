#pragma once
#include <string_view>
#include <vector>

#include "decode/logit_filter.h"
#include "decode/token_trie.h"
#include "text/tokenizer.h"

namespace susurrus {

struct WeightedPhrase {
  std::string_view text;
  /// Added to logits.
  float weight = 0;
};

/// Makes phrases likelier, or less likely. Wherever a word may begin, a positive weight is added to the first token of a
/// phrase, and, as long as the tokens sampled last are its beginning, to its next one: once to each token, the largest
/// where phrases share it. A negative weight is added only to the token that would complete its phrase, so that other
/// words with the same beginning keep their chances. Forbidden tokens stay forbidden.
///
/// Cost of a call: one addition for each different first token, and for each of the last tokens sampled (as many as the
/// longest phrase has) a walk of the trie from there: microseconds for hundreds of phrases. Nothing is remembered between
/// calls, so all sequences of a search share one.
class HotwordBias : public LogitFilter {
 public:
  /// `tokenizer` is kept. A phrase without text has no effect.
  HotwordBias(const Tokenizer& tokenizer, std::span<const WeightedPhrase> phrases);
  /// Before the timestamp rules, which weigh text against timestamps. Within a prefix (DecodeOptions) only `sampled` is
  /// looked at.
  void apply(std::span<float> logits, std::span<const uint32_t> sampled) const override;

 private:
  /// What an edge adds, by the node it leads to.
  struct Spelling {
    TokenTrie trie;
    std::vector<float> bias;
  };
  struct Match {
    const Spelling* spelling;
    uint32_t node;
  };

  static void add(Spelling& spelling, std::span<const uint32_t> tokens, float weight);
  void find_matches(std::span<const uint32_t> sampled) const;
  bool is_word_start(std::span<const uint32_t> before) const;

  const Tokenizer& tokenizer_;
  Spelling anywhere_;  // spaced spellings, and bare ones of scripts without spaces
  Spelling at_start_;  // bare spellings: only where no letter or number stands before them
  mutable std::vector<Match> matches_;  // reserved once
};

}  // namespace susurrus
