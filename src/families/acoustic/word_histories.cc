#include "families/acoustic/word_histories.h"

namespace susurrus {

WordHistories::WordHistories(const ArpaModel* model, std::span<const uint32_t> model_words)
    : model_(model), model_words_(model_words) {
  Entry& start = entries_.emplace_back();
  if (model_ != nullptr) start.context = model_->begin();
}

uint32_t WordHistories::child(uint32_t history, uint32_t symbol) {
  uint32_t found = index_.find(history, symbol);
  if (found != PairIndex::kNone) return found;
  found = static_cast<uint32_t>(entries_.size());
  Entry entry{history, symbol, 0, {}};
  if (model_ != nullptr) {
    entry.score = model_->score(entries_[history].context, model_words_[symbol], entry.context);
  }
  entries_.push_back(entry);
  index_.insert(history, symbol, found);
  return found;
}

float WordHistories::end_score(uint32_t history) const {
  return model_ == nullptr ? 0 : model_->end_score(entries_[history].context);
}

void WordHistories::keep(std::span<uint32_t> used) {
  // Parents come before their children.
  std::vector<uint32_t> numbers(entries_.size());
  numbers[kStart] = 1;
  for (const uint32_t history : used) numbers[history] = 1;
  for (size_t i = entries_.size(); i-- > 1;) {
    if (numbers[i] != 0) numbers[entries_[i].parent] = 1;
  }
  index_.clear();
  uint32_t count = 0;
  for (size_t i = 0; i < entries_.size(); ++i) {
    if (numbers[i] == 0) continue;
    numbers[i] = count;
    Entry entry = entries_[i];
    entry.parent = numbers[entry.parent];
    if (i > 0) index_.insert(entry.parent, entry.symbol, count);
    entries_[count++] = entry;
  }
  entries_.resize(count);
  for (uint32_t& history : used) history = numbers[history];
}

}  // namespace susurrus
