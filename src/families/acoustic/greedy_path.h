#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace susurrus {

/// The best path through emissions that come in pieces. CTC: the best token of each frame, the first of several. ASG: Viterbi with
/// transitions [to][from]; of equal paths the one from the lowest token.
class GreedyPath {
 public:
  /// `transitions` are empty for CTC, and outlive it.
  GreedyPath(size_t token_count, std::span<const float> transitions)
      : token_count_(token_count), transitions_(transitions) {}

  /// The next frames: [frames][tokens].
  void push(std::span<const float> emissions);

  /// The frames that nothing that follows can change.
  size_t final_count() const { return tokens_.size(); }
  /// The best path through all frames so far: its tokens, and for each of them its part of log softmax(emissions).
  void best(std::vector<uint32_t>& tokens, std::vector<float>& log_probabilities) const;

 private:
  void push_best(std::span<const float> frame);
  void push_viterbi(std::span<const float> frame);
  /// The last token of the best path, where more than one path is left.
  uint32_t best_end() const;
  /// Keeps of frames on which all paths agree nothing but that path.
  void settle();
  void append_traced(uint32_t end, size_t frames, std::vector<uint32_t>& tokens,
                     std::vector<float>& log_probabilities) const;
  size_t open_count() const { return came_from_.size() / token_count_; }

  size_t token_count_;
  std::span<const float> transitions_;
  std::vector<uint32_t> tokens_;
  std::vector<float> log_probabilities_;
  // ASG only, for frames on which paths differ: each token's predecessor and its part of log
  // softmax.
  std::vector<double> scores_;
  std::vector<double> next_scores_;
  std::vector<uint32_t> came_from_;
  std::vector<float> open_log_probabilities_;
};

}  // namespace susurrus
