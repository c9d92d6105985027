#include "families/acoustic/greedy_path.h"

#include <algorithm>

#include "families/acoustic/log_total.h"

namespace susurrus {
void GreedyPath::push(std::span<const float> emissions) {
  for (; !emissions.empty(); emissions = emissions.subspan(token_count_)) {
    const auto frame = emissions.first(token_count_);
    if (transitions_.empty()) {
      push_best(frame);
    } else {
      push_viterbi(frame);
    }
  }
  if (!transitions_.empty()) settle();
}

void GreedyPath::push_best(std::span<const float> frame) {
  const auto best = std::ranges::max_element(frame);
  tokens_.push_back(static_cast<uint32_t>(best - frame.begin()));
  log_probabilities_.push_back(static_cast<float>(static_cast<double>(*best) - log_total(frame)));
}

void GreedyPath::push_viterbi(std::span<const float> frame) {
  const double total = log_total(frame);
  for (const float score : frame) {
    open_log_probabilities_.push_back(static_cast<float>(static_cast<double>(score) - total));
  }
  if (scores_.empty()) {
    scores_.assign(frame.begin(), frame.end());
    next_scores_.resize(token_count_);
    came_from_.resize(token_count_);
    return;
  }
  for (size_t to = 0; to < token_count_; ++to) {
    uint32_t best = 0;
    double most = 0;
    for (size_t from = 0; from < token_count_; ++from) {
      const double score =
          scores_[from] + static_cast<double>(transitions_[to * token_count_ + from]);
      if (from > 0 && !(score > most)) continue;
      most = score;
      best = static_cast<uint32_t>(from);
    }
    came_from_.push_back(best);
    next_scores_[to] = most + static_cast<double>(frame[to]);
  }
  scores_.swap(next_scores_);
}

uint32_t GreedyPath::best_end() const {
  return static_cast<uint32_t>(std::ranges::max_element(scores_) - scores_.begin());
}

void GreedyPath::append_traced(uint32_t end, size_t frames, std::vector<uint32_t>& tokens,
                               std::vector<float>& log_probabilities) const {
  const size_t first = tokens.size();
  tokens.resize(first + frames);
  log_probabilities.resize(first + frames);
  for (size_t t = frames; t-- > 0; end = came_from_[t * token_count_ + end]) {
    tokens[first + t] = end;
    log_probabilities[first + t] = open_log_probabilities_[t * token_count_ + end];
  }
}

void GreedyPath::settle() {
  // Backwards from every token until all paths meet.
  std::vector<bool> is_on_path(token_count_, true);
  std::vector<bool> was_on_path;
  for (size_t t = open_count(); t-- > 1;) {
    was_on_path.assign(token_count_, false);
    for (size_t token = 0; token < token_count_; ++token) {
      if (is_on_path[token]) was_on_path[came_from_[t * token_count_ + token]] = true;
    }
    is_on_path.swap(was_on_path);
    if (std::ranges::count(is_on_path, true) > 1) continue;
    const auto end =
        static_cast<uint32_t>(std::ranges::find(is_on_path, true) - is_on_path.begin());
    append_traced(end, t, tokens_, log_probabilities_);
    const auto settled = static_cast<std::ptrdiff_t>(t * token_count_);
    came_from_.erase(came_from_.begin(), came_from_.begin() + settled);
    open_log_probabilities_.erase(open_log_probabilities_.begin(),
                                  open_log_probabilities_.begin() + settled);
    return;
  }
}

void GreedyPath::best(std::vector<uint32_t>& tokens, std::vector<float>& log_probabilities) const {
  tokens = tokens_;
  log_probabilities = log_probabilities_;
  if (!scores_.empty()) append_traced(best_end(), open_count(), tokens, log_probabilities);
}

}  // namespace susurrus
