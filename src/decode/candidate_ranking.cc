#include "decode/candidate_ranking.h"

#include <algorithm>
#include <cmath>

namespace susurrus {
namespace {

double score(const TokenCandidate& candidate, std::optional<double> length_penalty) {
  const auto length = static_cast<double>(candidate.tokens.size());
  // A power by two functions that are here anyway: that of libc brings 4 kB of tables.
  const double divisor = length_penalty ? std::exp(*length_penalty * std::log((5 + length) / 6))
                                        : std::max(length, 1.0);
  return candidate.sum_logprob / divisor;
}

}  // namespace

size_t rank_candidates(std::span<const TokenCandidate> candidates,
                       std::optional<double> length_penalty) {
  size_t best = 0;
  double best_score = score(candidates[0], length_penalty);
  for (size_t i = 1; i < candidates.size(); ++i) {
    const double one = score(candidates[i], length_penalty);
    if (one > best_score) {
      best = i;
      best_score = one;
    }
  }
  return best;
}

}  // namespace susurrus
