#include "decode/sampling.h"

#include <cmath>
#include <limits>

#include "decode/log_probability.h"

namespace susurrus {
namespace {

constexpr float kForbidden = -std::numeric_limits<float>::infinity();

float weight(float logit, float maximum, float temperature) {
  return logit == kForbidden ? 0.0f : std::exp((logit - maximum) / temperature);
}

/// The first index at which the weights, added up, exceed `uniform` of their sum: the inverse of the distribution
/// function. The maximum itself is a logit.
uint32_t draw(std::span<const float> logits, float maximum, float temperature, double uniform) {
  double total = 0;
  for (float logit : logits) total += weight(logit, maximum, temperature);
  const double wanted = uniform * total;
  double sum = 0;
  uint32_t last = 0;
  for (size_t i = 0; i < logits.size(); ++i) {
    const float w = weight(logits[i], maximum, temperature);
    if (w == 0) continue;
    last = static_cast<uint32_t>(i);
    sum += w;
    if (sum > wanted) break;
  }
  // Rounding may let the product be the sum itself: the last possible token then.
  return last;
}

}  // namespace

SamplingSearch::SamplingSearch(uint32_t end_of_text, size_t max_tokens, double temperature,
                               uint32_t best_of, uint64_t seed)
    : end_of_text_(end_of_text),
      max_tokens_(max_tokens),
      temperature_(static_cast<float>(temperature)),
      candidates_(best_of) {
  for (uint32_t i = 0; i < best_of; ++i) {
    generators_.emplace_back(derive_seed(seed, i));
    candidates_[i].tokens.reserve(max_tokens);
    candidates_[i].token_logprobs.reserve(max_tokens);
    under_way_.push_back(i);
  }
  sources_.reserve(best_of);
  last_tokens_.reserve(best_of);
}

bool SamplingSearch::choose(std::span<const std::span<const float>> rows) {
  sources_.clear();
  last_tokens_.clear();
  size_t still_under_way = 0;
  for (size_t i = 0; i < under_way_.size(); ++i) {
    const uint32_t source = is_begun_ ? static_cast<uint32_t>(i) : 0;
    const uint32_t sequence = under_way_[i];
    std::span<const float> logits = rows[source];
    const LogSoftmax log_softmax(logits);
    if (log_softmax.maximum == kForbidden) continue;
    const uint32_t token =
        draw(logits, log_softmax.maximum, temperature_, generators_[sequence].uniform());
    const float logprob = log_softmax(logits[token]);
    TokenCandidate& candidate = candidates_[sequence];
    candidate.sum_logprob = add_logprob(candidate.sum_logprob, logprob);
    if (token == end_of_text_) continue;
    candidate.tokens.push_back(token);
    candidate.token_logprobs.push_back(logprob);
    if (candidate.tokens.size() >= max_tokens_) continue;
    under_way_[still_under_way++] = sequence;
    sources_.push_back(source);
    last_tokens_.push_back(token);
  }
  under_way_.resize(still_under_way);
  is_begun_ = true;
  return under_way_.empty();
}

std::vector<TokenCandidate> SamplingSearch::finish() { return std::move(candidates_); }

}  // namespace susurrus
