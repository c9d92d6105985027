#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "align/time_warping.h"
#include "base/aligned_buffer.h"
#include "kernels/kernel_table.h"

namespace susurrus {

/// What warping aligns tokens and time by: minus the mean over attention heads of their attention to each frame,
/// normalised over the tokens and smoothed in time (whisper-sources.md §5). Heads come one at a time, so that memory is
/// two f32 planes, one head's and the mean's: 4 * frames * (tokens + rows) bytes; the warping's trace, a byte for each
/// cell, takes the head's place. Besides, 16 * frames bytes of scratch and 8 * (rows + frames) of path. Every call is
/// bounded work.
class AlignmentCosts {
 public:
  /// `tokens` have attention, `row_count` of them from `first_row` on are aligned. out_of_memory as an error.
  static Result<AlignmentCosts> create(size_t tokens, size_t frames, size_t first_row,
                                       size_t row_count);

  /// (tokens, frames): put a head's attention scores here, before the softmax.
  std::span<float> scores() { return scores_.floats(); }
  /// First of the two pieces of work on a head's scores: softmax over the frames, normalization over the tokens.
  void normalise(const KernelTable& kernels);
  /// Second piece: smoothes, and adds to the mean.
  void accumulate(const KernelTable& kernels);
  /// After all heads: the path through costs().
  void warp();

  /// (row_count, frames), after warp().
  std::span<const float> costs() const { return sums_.floats(); }
  const std::vector<WarpingStep>& path() const { return path_; }

 private:
  AlignmentCosts(size_t tokens, size_t frames, size_t first_row, size_t row_count)
      : tokens_(tokens), frames_(frames), first_row_(first_row), row_count_(row_count) {}

  size_t tokens_;
  size_t frames_;
  size_t first_row_;
  size_t row_count_;
  size_t head_count_ = 0;
  AlignedBuffer scores_;
  AlignedBuffer sums_;
  AlignedBuffer scratch_;
  std::vector<WarpingStep> path_;
};

}  // namespace susurrus
