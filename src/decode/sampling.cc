#include "decode/sampling.h"

#include <algorithm>
#include <limits>

#include "decode/log_probability.h"

namespace susurrus {
namespace {

constexpr float kSuppressed = -std::numeric_limits<float>::infinity();
/// Keeps the scale finite at any temperature.
constexpr double kMostScale = 1e30;

/// The first index at which the weights exp((logit - maximum) * scale), added up, exceed `uniform` of their sum: the
/// inverse of the distribution function. Weights are added up in blocks, so that only those of one block are computed again.
/// `maximum`, the largest logit, is above -inf.
uint32_t draw(const KernelTable& kernels, std::span<const float> logits, float maximum, float scale,
              double uniform) {
  constexpr size_t kBlocks = 256;
  const size_t block_size = (logits.size() + kBlocks - 1) / kBlocks;
  const auto block_of = [&](size_t block) {
    const size_t first = std::min(block * block_size, logits.size());
    return logits.subspan(first, std::min(block_size, logits.size() - first));
  };
  double sums[kBlocks];
  double total = 0;
  for (size_t block = 0; block < kBlocks; ++block) {
    const auto values = block_of(block);
    sums[block] = kernels.exponential_sum(values.size(), values.data(), maximum, scale);
    total += sums[block];
  }

  double wanted = uniform * total;
  size_t block = 0;
  size_t last_block = 0;
  for (; block < kBlocks && wanted >= sums[block]; ++block) {
    wanted -= sums[block];
    if (sums[block] > 0) last_block = block;
  }
  // Rounding may leave nothing to choose from: the last possible token then.
  if (block == kBlocks) {
    block = last_block;
    wanted = total;
  }
  const auto values = block_of(block);
  size_t chosen = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const double weight = kernels.exponential_sum(1, &values[i], maximum, scale);
    if (weight == 0) continue;
    chosen = i;
    if (wanted < weight) break;
    wanted -= weight;
  }
  return static_cast<uint32_t>(block * block_size + chosen);
}

}  // namespace

SamplingSearch::SamplingSearch(const KernelTable& kernels, uint32_t end_of_text, size_t max_tokens,
                               double temperature, uint32_t best_of, uint64_t seed)
    : kernels_(kernels),
      end_of_text_(end_of_text),
      max_tokens_(max_tokens),
      scale_(static_cast<float>(std::min(1 / temperature, kMostScale))),
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
    const float maximum = largest_logit(kernels_, logits).logit;
    if (maximum == kSuppressed) continue;
    const uint32_t token = draw(kernels_, logits, maximum, scale_, generators_[sequence].uniform());
    const float logprob = LogSoftmax(kernels_, logits, maximum)(logits[token]);
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
