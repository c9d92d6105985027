#include "decode/log_probability.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace susurrus {
namespace {

constexpr float kForbidden = -std::numeric_limits<float>::infinity();

float largest(std::span<const float> logits) {
  float maximum = kForbidden;
  for (float x : logits) maximum = std::max(maximum, x);
  return maximum;
}

/// Sum of exp(x - maximum).
double exp_sum(std::span<const float> logits, float maximum) {
  double sum = 0;
  for (float x : logits) {
    if (x != kForbidden) sum += std::exp(x - maximum);
  }
  return sum;
}

}  // namespace

double log_sum_exp(std::span<const float> logits) {
  const float maximum = largest(logits);
  if (maximum == kForbidden) return kForbidden;
  return maximum + std::log(exp_sum(logits, maximum));
}

LogSoftmax::LogSoftmax(std::span<const float> logits) : LogSoftmax(logits, largest(logits)) {}

LogSoftmax::LogSoftmax(std::span<const float> logits, float maximum)
    : maximum(maximum), log_sum(static_cast<float>(std::log(exp_sum(logits, maximum)))) {}

float softmax_probability(std::span<const float> logits, uint32_t index) {
  return static_cast<float>(std::exp(logits[index] - log_sum_exp(logits)));
}

uint32_t argmax(std::span<const float> logits) {
  return static_cast<uint32_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

size_t top_logits(std::span<const float> logits, std::span<RankedLogit> best) {
  size_t count = 0;
  // What a logit must exceed to be among them.
  float least = kForbidden;
  for (size_t i = 0; i < logits.size(); ++i) {
    if (!(logits[i] > least)) continue;
    if (count < best.size()) ++count;
    size_t place = count - 1;
    for (; place > 0 && best[place - 1].logit < logits[i]; --place) best[place] = best[place - 1];
    best[place] = {logits[i], static_cast<uint32_t>(i)};
    if (count == best.size()) least = best[count - 1].logit;
  }
  return count;
}

}  // namespace susurrus
