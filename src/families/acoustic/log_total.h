#pragma once
#include <algorithm>
#include <cmath>
#include <span>

namespace susurrus {

/// log of the sum of e^score: what is taken from each score in log softmax.
inline double log_total(std::span<const float> frame) {
  const auto most = static_cast<double>(*std::ranges::max_element(frame));
  double sum = 0;
  for (const float score : frame) sum += std::exp(static_cast<double>(score) - most);
  return most + std::log(sum);
}

}  // namespace susurrus
