#include "families/acoustic/lexicon.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace susurrus {
namespace {

/// Differences of logarithms beyond which the smaller one adds nothing, as flashlight has it.
constexpr double kLeastDifference = -39.14;

float log_add(float a, float b) {
  const auto more = static_cast<double>(std::max(a, b));
  const double difference = static_cast<double>(std::min(a, b)) - more;
  // False for two infinities too.
  if (!(difference >= kLeastDifference)) return std::max(a, b);
  return static_cast<float>(more + std::log1p(std::exp(difference)));
}

}  // namespace

void Lexicon::weigh(std::span<const float> word_scores, Smearing smearing) {
  scores_.clear();
  if (smearing == Smearing::none) return;
  scores_.assign(child_ends_.size(), -std::numeric_limits<float>::infinity());
  for (size_t at = scores_.size(); at-- > 0;) {
    const auto node = static_cast<uint32_t>(at);
    float& score = scores_[at];
    for (const uint32_t word : labels(node)) score = log_add(score, word_scores[word]);
    for (const Child& child : children(node)) {
      score = smearing == Smearing::max ? std::max(score, scores_[child.node])
                                        : log_add(score, scores_[child.node]);
    }
  }
}

size_t Lexicon::byte_count() const {
  return children_.size() * sizeof(Child) + scores_.size() * sizeof(float) +
         (child_ends_.size() + label_ends_.size() + labels_.size()) * sizeof(uint32_t);
}

}  // namespace susurrus
