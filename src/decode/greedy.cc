#include "decode/greedy.h"

#include <limits>

#include "decode/log_probability.h"

namespace susurrus {

GreedySearch::GreedySearch(const KernelTable& kernels, uint32_t end_of_text, size_t max_tokens)
    : kernels_(kernels), end_of_text_(end_of_text), max_tokens_(max_tokens) {
  path_.tokens.reserve(max_tokens);
  path_.token_logprobs.reserve(max_tokens);
}

bool GreedySearch::choose(std::span<const std::span<const float>> rows) {
  std::span<const float> logits = rows[0];
  const auto [logit, token] = largest_logit(kernels_, logits);
  if (logit == -std::numeric_limits<float>::infinity()) return true;
  const float logprob = LogSoftmax(kernels_, logits, logit)(logit);
  path_.sum_logprob = add_logprob(path_.sum_logprob, logprob);
  if (token == end_of_text_) return true;
  path_.tokens.push_back(token);
  path_.token_logprobs.push_back(logprob);
  return path_.tokens.size() >= max_tokens_;
}

std::vector<TokenCandidate> GreedySearch::finish() {
  std::vector<TokenCandidate> candidates;
  candidates.push_back(std::move(path_));
  return candidates;
}

}  // namespace susurrus
