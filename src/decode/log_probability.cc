#include "decode/log_probability.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace susurrus {

double log_sum_exp(std::span<const float> logits) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  float maximum = -kInfinity;
  for (float x : logits) maximum = std::max(maximum, x);
  if (maximum == -kInfinity) return -kInfinity;
  double sum = 0;
  for (float x : logits) {
    if (x != -kInfinity) sum += std::exp(x - maximum);
  }
  return maximum + std::log(sum);
}

float softmax_probability(std::span<const float> logits, uint32_t index) {
  return static_cast<float>(std::exp(logits[index] - log_sum_exp(logits)));
}

uint32_t argmax(std::span<const float> logits) {
  return static_cast<uint32_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

}  // namespace susurrus
