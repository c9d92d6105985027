#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "families/acoustic/arpa_model.h"

namespace susurrus {

/// What hypotheses have written so far, as a tree of words or tokens with the language model's
/// scores. Two hypotheses that wrote the same have the same history.
class WordHistories {
 public:
  static constexpr uint32_t kStart = 0;

  /// Without a language model all scores are 0. `model_words` are the model's numbers of the symbols. Both outlive it.
  WordHistories(const ArpaModel* model, std::span<const uint32_t> model_words);

  /// `history` with one more symbol.
  uint32_t child(uint32_t history, uint32_t symbol);
  /// The score of its last symbol.
  float score(uint32_t history) const { return entries_[history].score; }
  /// The score of an end after it.
  float end_score(uint32_t history) const;

  size_t size() const { return entries_.size(); }
  /// Keeps the histories of `used`, and what they began with; gives them their new numbers.
  void keep(std::span<uint32_t> used);

 private:
  struct Entry {
    uint32_t parent = 0;
    uint32_t symbol = 0;
    float score = 0;
    ArpaModel::Context context;
  };

  const ArpaModel* model_;
  std::span<const uint32_t> model_words_;
  std::vector<Entry> entries_;
  PairIndex index_;
};

}  // namespace susurrus
