#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace susurrus {

/// A finished way through one window.
struct TokenCandidate {
  /// Excludes <|endoftext|>.
  std::vector<uint32_t> tokens;
  /// Log probability of each token under the filtered logits at temperature 1.
  std::vector<float> token_logprobs;
  /// Their sum, that of <|endoftext|> included where it was reached.
  double sum_logprob = 0;
};

/// Sequences of tokens grown side by side from filtered logits: greedy, sampling or beam search. Takes all its memory when
/// made; choose() allocates nothing.
class TokenSearch {
 public:
  virtual ~TokenSearch() = default;

  /// How many sequences are in progress: the rows of logits that the next choose() takes. 1 before
  /// the first choose(), since all sequences begin with the prompt.
  virtual size_t sequence_count() const = 0;
  /// What was chosen so far for one of them.
  virtual std::span<const uint32_t> tokens(size_t sequence) const = 0;

  /// Chooses from the filtered logits of every sequence (rows[i]: n_vocab values). True when the search has ended.
  virtual bool choose(std::span<const std::span<const float>> rows) = 0;
  /// After choose() said false: sequence i goes on from what was sequence sources()[i], with last_tokens()[i].
  virtual std::span<const uint32_t> sources() const = 0;
  virtual std::span<const uint32_t> last_tokens() const = 0;

  /// The candidates, at least one, in the reference's order; call once, at the end or when the search is given up.
  virtual std::vector<TokenCandidate> finish() = 0;
};

}  // namespace susurrus
