#pragma once
#include <optional>

#include "decode/log_probability.h"
#include "decode/token_search.h"

namespace susurrus {

/// Candidates after which beam search ends: beam_size * patience (1 if absent or 0), halves rounded to even. 0 is no
/// search: the caller's error.
size_t beam_candidate_count(uint32_t beam_size, std::optional<double> patience);

/// The reference's beam search: of beam_size + 1 continuations of each sequence, the best beam_size unfinished ones go on;
/// finished ones that rank above the last of these are candidates, until there are enough. Sums are of f32. Sequences of
/// probability 0 are never kept (the reference keeps some where fewer than beam_size tokens are allowed).
///
/// With a closed vocabulary so little is allowed at each step that texts which nobody said are soon finished, and would end
/// the search before a long phrase does. There, a text ends only where its end is the best of its continuations, and the
/// search goes on until nothing under way can surpass the most probable text.
class BeamSearch final : public TokenSearch {
 public:
  /// Ends with `max_candidates` candidates (beam_candidate_count), after `max_tokens` choices, or when nothing can go on.
  /// All at least 1.
  BeamSearch(const KernelTable& kernels, uint32_t end_of_text, size_t max_tokens,
             uint32_t beam_size, size_t max_candidates);
  struct ClosedVocabulary {};
  /// Finds one candidate.
  BeamSearch(const KernelTable& kernels, uint32_t end_of_text, size_t max_tokens,
             uint32_t beam_size, ClosedVocabulary closed);

  size_t sequence_count() const override { return now_.sums.size(); }
  std::span<const uint32_t> tokens(size_t sequence) const override {
    return std::span(now_.tokens).subspan(sequence * max_tokens_, length_);
  }
  bool choose(std::span<const std::span<const float>> rows) override;
  std::span<const uint32_t> sources() const override { return sources_; }
  std::span<const uint32_t> last_tokens() const override { return last_tokens_; }
  /// Finished ones as they were found; if fewer than beam_size, unfinished ones too, the best first. With a closed
  /// vocabulary the best one.
  std::vector<TokenCandidate> finish() override;

 private:
  /// Sequences under way: rows of max_tokens, of which length_ are filled.
  struct Beams {
    std::vector<uint32_t> tokens;
    std::vector<float> logprobs;
    std::vector<float> sums;
  };
  struct Continuation {
    float sum;
    float logprob;
    uint32_t source;
    uint32_t token;
    uint32_t order;  // in which they were found: the first of equals ranks first
    bool is_best;    // of its source
  };

  void rank_continuations(std::span<const std::span<const float>> rows);
  void add_candidate(const Continuation& end);
  void add_beam(const Continuation& next);
  bool is_ended() const;

  const KernelTable& kernels_;
  uint32_t end_of_text_;
  size_t max_tokens_;
  uint32_t beam_size_;
  size_t max_candidates_;
  bool is_closed_ = false;
  size_t length_ = 0;
  Beams now_, next_;
  std::vector<RankedLogit> top_;
  std::vector<Continuation> continuations_;
  std::vector<TokenCandidate> finished_;  // max_candidates of them, reserved
  size_t finished_count_ = 0;
  std::vector<uint32_t> sources_, last_tokens_;
};

}  // namespace susurrus
