#pragma once
#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "families/acoustic/pair_index.h"
#include "families/acoustic/word_table.h"

namespace susurrus {

/// An n-gram language model with backoff, which an ArpaReader makes of ARPA text. Scores are logarithms to base 10, as the file has them.
class ArpaModel {
 public:
  static constexpr uint32_t kMostOrder = 10;
  static constexpr uint32_t kUnknown = 0;

  /// What scores depend on: the last words, as far as the model has n-grams that begin with them.
  struct Context {
    /// The n-grams of the last one, two, … words, or PairIndex::kNone.
    std::array<uint32_t, kMostOrder - 1> nodes{};
    uint32_t size = 0;
  };

  uint32_t order() const { return order_; }
  /// kUnknown for a word that the model does not list. A model without <unk> gives that a score of -100, as KenLM does.
  uint32_t word(std::string_view text) const;
  /// After <s>; empty where that is not listed.
  Context begin() const;
  /// The score of `word` after `context`; `next` may be `context`.
  float score(const Context& context, uint32_t word, Context& next) const;
  /// The score of </s>.
  float end_score(const Context& context) const;
  /// Excludes its words.
  size_t byte_count() const { return nodes_.capacity() * sizeof(Node) + index_.byte_count(); }

 private:
  friend class ArpaReader;
  struct Node {
    float score = 0;
    float backoff = 0;
  };

  uint32_t order_ = 0;
  /// kUnknown is the first one.
  WordTable words_;
  /// Node 0 is the empty n-gram. An n-gram is found by the n-gram before its last word, and that word.
  std::vector<Node> nodes_;
  PairIndex index_;
};

}  // namespace susurrus
