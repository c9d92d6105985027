#pragma once
#include "decode/token_search.h"
#include "kernels/kernel_table.h"

namespace susurrus {

/// One best path: the most probable token each time.
class GreedySearch final : public TokenSearch {
 public:
  /// Ends with `end_of_text`, after `max_tokens` choices (at least 1), or where every token is forbidden.
  GreedySearch(const KernelTable& kernels, uint32_t end_of_text, size_t max_tokens);

  size_t sequence_count() const override { return 1; }
  std::span<const uint32_t> tokens(size_t) const override { return path_.tokens; }
  bool choose(std::span<const std::span<const float>> rows) override;
  std::span<const uint32_t> sources() const override { return {&kOnlySource, 1}; }
  std::span<const uint32_t> last_tokens() const override { return tokens(0).last(1); }
  std::vector<TokenCandidate> finish() override;

 private:
  static constexpr uint32_t kOnlySource = 0;

  const KernelTable& kernels_;
  uint32_t end_of_text_;
  size_t max_tokens_;
  TokenCandidate path_;  // reserved once
};

}  // namespace susurrus
