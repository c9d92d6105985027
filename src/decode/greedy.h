#pragma once
#include <span>
#include <vector>

#include "decode/logit_filter.h"

namespace susurrus {

/// One best path: the most probable token each time, and the sum of what their probabilities were.
class GreedySearch {
 public:
  /// Ends with `end_of_text` or after `max_tokens` tokens.
  GreedySearch(uint32_t end_of_text, size_t max_tokens);

  /// Chooses from filtered logits. True when the path has ended.
  bool choose(std::span<const float> logits);

  /// Without the final <|endoftext|>.
  std::span<const uint32_t> tokens() const { return tokens_; }
  /// Includes that of <|endoftext|>.
  double sum_logprob() const { return sum_logprob_; }
  /// Per token, <|endoftext|> counted even when it was not reached.
  double avg_logprob() const { return sum_logprob_ / static_cast<double>(tokens_.size() + 1); }

 private:
  uint32_t end_of_text_;
  size_t max_tokens_;
  std::vector<uint32_t> tokens_;  // reserved once
  double sum_logprob_ = 0;
};

}  // namespace susurrus
