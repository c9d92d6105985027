#pragma once
#include <span>
#include <vector>

#include "families/acoustic/pair_index.h"
#include "families/acoustic/word_table.h"

namespace susurrus {

/// How a part of a word is scored before the word is known: as the best of the words that it may become, as all of them together, or
/// not at all.
enum class Smearing : uint8_t { none, max, log_add };

/// The words that a beam search may write, spelt in tokens: a tree whose nodes are beginnings of words. A LexiconReader makes it.
class Lexicon {
 public:
  static constexpr uint32_t kRoot = 0;
  static constexpr uint32_t kNone = PairIndex::kNone;
  /// The most words that share a spelling; flashlight keeps as many.
  static constexpr size_t kMostLabels = 6;

  struct Child {
    uint32_t token = 0;
    uint32_t node = 0;
  };

  /// Scores of the words, by number; they are smeared over the nodes.
  void weigh(std::span<const float> word_scores, Smearing smearing);

  const WordTable& words() const { return words_; }
  std::span<const Child> children(uint32_t node) const { return row(children_, child_ends_, node); }
  /// The words that end at a node.
  std::span<const uint32_t> labels(uint32_t node) const { return row(labels_, label_ends_, node); }
  /// The smeared score of the words that begin so; 0 without smearing.
  float score(uint32_t node) const { return scores_.empty() ? 0 : scores_[node]; }
  /// Excludes its words.
  size_t byte_count() const;

 private:
  friend class LexiconReader;
  template <typename T>
  static std::span<const T> row(const std::vector<T>& all, const std::vector<uint32_t>& ends,
                                uint32_t node) {
    const uint32_t begin = node == 0 ? 0 : ends[node - 1];
    return std::span(all).subspan(begin, ends[node] - begin);
  }

  WordTable words_;
  // For each node, where its children and labels end. Children follow their parents.
  std::vector<Child> children_;
  std::vector<uint32_t> child_ends_;
  std::vector<uint32_t> labels_;
  std::vector<uint32_t> label_ends_;
  std::vector<float> scores_;
};

}  // namespace susurrus
