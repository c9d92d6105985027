#include "decode/greedy.h"

#include <limits>

#include "decode/log_probability.h"

namespace susurrus {

GreedySearch::GreedySearch(uint32_t end_of_text, size_t max_tokens)
    : end_of_text_(end_of_text), max_tokens_(max_tokens) {
  tokens_.reserve(max_tokens);
}

bool GreedySearch::choose(std::span<const float> logits) {
  uint32_t token = argmax(logits);
  // Everything forbidden, by a file's lists: nothing can follow.
  if (logits[token] == -std::numeric_limits<float>::infinity()) return true;
  sum_logprob_ += logits[token] - log_sum_exp(logits);
  if (token == end_of_text_) return true;
  tokens_.push_back(token);
  return tokens_.size() >= max_tokens_;
}

}  // namespace susurrus
