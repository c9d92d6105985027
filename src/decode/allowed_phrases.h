#pragma once
#include <string>
#include <vector>

#include "decode/logit_filter.h"
#include "decode/token_trie.h"
#include "text/tokenizer.h"

namespace susurrus {

/// Restricts text to a sequence of phrases from a list, which may be empty. A phrase has a space in front of it; the first
/// one after a timestamp or at the beginning may go without, and phrases of a script without spaces have none. Timestamps
/// and <|endoftext|> come before the first phrase or after a complete one, never within; every other token is forbidden.
/// No phrase is begun that `max_tokens` would cut.
class AllowedPhrases : public LogitFilter {
 public:
  /// `special` is kept. Every phrase must have text other than white space: the caller checks that.
  AllowedPhrases(const Tokenizer& tokenizer, std::span<const std::string> phrases,
                 size_t max_tokens);
  /// Before the timestamp rules. Forbidden tokens stay forbidden: suppress none of tokens().
  void apply(std::span<float> logits, std::span<const uint32_t> sampled) const override;

  /// What the phrases are made of, ascending.
  std::vector<uint32_t> tokens() const;
  /// How many of `sampled`, from the front, end with a complete phrase, or with the timestamp right after it: where a
  /// sequence may be cut. 0 if no phrase is complete.
  size_t complete_length(std::span<const uint32_t> sampled) const;

 private:
  struct Spelling {
    TokenTrie trie;
    /// By node: tokens still missing to the nearest end of a phrase; 0 is one.
    std::vector<uint32_t> missing;
  };
  struct Place {
    const Spelling* spelling;
    uint32_t node;
  };
  struct Choice {
    uint32_t token;
    float logit;
  };

  static void measure(Spelling& spelling, std::span<const uint32_t> ends);
  void begin_text() const;
  /// One token further; false if the list has no such text.
  bool advance(uint32_t token) const;
  bool is_complete() const;

  const SpecialTokens& special_;
  size_t max_tokens_;
  Spelling anywhere_;  // spaced spellings, and bare ones of scripts without spaces
  Spelling at_start_;  // bare spellings
  // Where in the tries the text so far may be: several places if phrases begin alike. Reserved once.
  mutable std::vector<Place> places_, next_places_;
  mutable std::vector<Choice> choices_;
};

}  // namespace susurrus
