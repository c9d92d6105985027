#pragma once
#include <cstdint>
#include <span>

#include "kernels/kernel_table.h"

namespace susurrus {

/// A row of logits is that of a whole vocabulary: what is asked about all of it is left to kernels.
struct RankedLogit {
  float logit;
  uint32_t token;
};
/// Fills `best` with the largest logits above -inf, the largest first, the first of equals first; in one pass. How many
/// there are, at most best.size().
size_t top_logits(const KernelTable& kernels, std::span<const float> logits,
                  std::span<RankedLogit> best);
/// The first of the largest; -inf where there is none.
RankedLogit largest_logit(const KernelTable& kernels, std::span<const float> logits);

/// log(sum(exp(x))) in f32 exponentials added up in f64; -inf for nothing but -inf, and for no values.
double log_sum_exp(const KernelTable& kernels, std::span<const float> logits);

/// Turns the logits of one row into log probabilities, in f32 and in the order of torch's log_softmax.
struct LogSoftmax {
  /// `maximum` is the largest logit.
  LogSoftmax(const KernelTable& kernels, std::span<const float> logits, float maximum);
  float operator()(float logit) const { return (logit - maximum) - log_sum; }

  float maximum;  // -inf where every token is forbidden
  float log_sum;  // of exp(logit - maximum)
};

/// A sum of log probabilities and one more, in f32 as the reference adds them.
inline double add_logprob(double sum, float logprob) { return static_cast<float>(sum) + logprob; }

/// The probability of `index` in softmax(logits).
float softmax_probability(const KernelTable& kernels, std::span<const float> logits,
                          uint32_t index);

}  // namespace susurrus
