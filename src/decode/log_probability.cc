#include "decode/log_probability.h"

#include <cmath>
#include <limits>

namespace susurrus {
namespace {

constexpr float kForbidden = -std::numeric_limits<float>::infinity();

}  // namespace

size_t top_logits(const KernelTable& kernels, std::span<const float> logits,
                  std::span<RankedLogit> best) {
  size_t count = 0;
  // What a logit must exceed to be among them.
  float least = kForbidden;
  for (size_t i = 0;; ++i) {
    i += kernels.first_above(logits.size() - i, logits.data() + i, least);
    if (i == logits.size()) return count;
    if (count < best.size()) ++count;
    size_t place = count - 1;
    for (; place > 0 && best[place - 1].logit < logits[i]; --place) best[place] = best[place - 1];
    best[place] = {logits[i], static_cast<uint32_t>(i)};
    if (count == best.size()) least = best[count - 1].logit;
  }
}

RankedLogit largest_logit(const KernelTable& kernels, std::span<const float> logits) {
  RankedLogit largest = {kForbidden, 0};
  top_logits(kernels, logits, {&largest, 1});
  return largest;
}

double log_sum_exp(const KernelTable& kernels, std::span<const float> logits) {
  const float maximum = largest_logit(kernels, logits).logit;
  if (maximum == kForbidden) return kForbidden;
  return maximum + std::log(kernels.exponential_sum(logits.size(), logits.data(), maximum, 1.0f));
}

LogSoftmax::LogSoftmax(const KernelTable& kernels, std::span<const float> logits, float maximum)
    : maximum(maximum),
      log_sum(static_cast<float>(
          std::log(kernels.exponential_sum(logits.size(), logits.data(), maximum, 1.0f)))) {}

float softmax_probability(const KernelTable& kernels, std::span<const float> logits,
                          uint32_t index) {
  return static_cast<float>(std::exp(logits[index] - log_sum_exp(kernels, logits)));
}

}  // namespace susurrus
