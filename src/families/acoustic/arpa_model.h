#pragma once
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "families/acoustic/pair_index.h"

namespace susurrus {

class TextLines;

/// An n-gram language model with backoff, read from ARPA text. Scores are logarithms to base 10, as the file has them.
class ArpaModel {
 public:
  static constexpr uint32_t kMostOrder = 10;
  static constexpr uint32_t kUnknown = 0;

  /// What scores depend on: the last words, as far as the model has n-grams that begin with them.
  struct Context {
    /// Of the last one, two, … words: the n-gram that they are, or PairIndex::kNone.
    std::array<uint32_t, kMostOrder - 1> nodes{};
    uint32_t size = 0;
  };

  /// malformed, with the line as subject and its offset: no \data\, counts that are not kept, numbers that are none, a probability
  /// above 1, a word that is not among the 1-grams, an n-gram twice or without the shorter one that it begins with. limit_exceeded: an
  /// order above 10.
  static Result<ArpaModel> read(std::string_view text);

  uint32_t order() const { return order_; }
  /// kUnknown for a word that the model does not list. A model without <unk> gives that a score of -100, as KenLM does.
  uint32_t word(std::string_view text) const;
  /// Behind <s>; empty where that is not listed.
  Context begin() const;
  /// Of `word` behind `context`; `next` may be `context`.
  float score(const Context& context, uint32_t word, Context& next) const;
  /// Of </s>.
  float end_score(const Context& context) const;
  size_t byte_count() const { return nodes_.capacity() * sizeof(Node) + index_.byte_count(); }

 private:
  struct Node {
    float score = 0;
    float backoff = 0;
  };

  Status read_counts(TextLines& lines, std::string_view text);
  /// Lines of one order, and the header of the next in `lines`.
  Status read_section(TextLines& lines, uint32_t order);
  Status read_ngram(const TextLines& lines, uint32_t order);
  Result<uint32_t> add_word(const TextLines& lines, std::string_view text);

  uint32_t order_ = 0;
  std::vector<uint64_t> counts_;
  std::unordered_map<std::string, uint32_t> words_;
  /// Node 0 is the empty n-gram. An n-gram is found by the n-gram before its last word, and that word.
  std::vector<Node> nodes_;
  PairIndex index_;
};

}  // namespace susurrus
