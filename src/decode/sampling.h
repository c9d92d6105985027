#pragma once
#include "decode/seeded_random.h"
#include "decode/token_search.h"
#include "kernels/kernel_table.h"

namespace susurrus {

/// Sequences drawn side by side from softmax(logits / temperature); log probabilities are those at temperature 1. The
/// i-th sequence has a generator of its own, so it does not change with `best_of`.
class SamplingSearch final : public TokenSearch {
 public:
  /// `temperature` > 0, `best_of` and `max_tokens` at least 1. A sequence ends, and leaves the batch, with `end_of_text`,
  /// after `max_tokens` choices, or where every token is forbidden.
  SamplingSearch(const KernelTable& kernels, uint32_t end_of_text, size_t max_tokens,
                 double temperature, uint32_t best_of, uint64_t seed);

  size_t sequence_count() const override { return is_begun_ ? under_way_.size() : 1; }
  std::span<const uint32_t> tokens(size_t sequence) const override {
    return candidates_[under_way_[sequence]].tokens;
  }
  bool choose(std::span<const std::span<const float>> rows) override;
  std::span<const uint32_t> sources() const override { return sources_; }
  std::span<const uint32_t> last_tokens() const override { return last_tokens_; }
  std::vector<TokenCandidate> finish() override;

 private:
  const KernelTable& kernels_;
  uint32_t end_of_text_;
  size_t max_tokens_;
  float scale_;  // 1 / temperature
  bool is_begun_ = false;
  std::vector<SeededRandom> generators_;    // of each sequence
  std::vector<TokenCandidate> candidates_;  // all sequences
  std::vector<uint32_t> under_way_;         // those that have not ended, ascending
  std::vector<uint32_t> sources_, last_tokens_;
};

}  // namespace susurrus
