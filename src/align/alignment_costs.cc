#include "align/alignment_costs.h"

#include <algorithm>

#include "align/median_filter.h"
#include "align/token_normalization.h"
#include "base/check.h"

namespace susurrus {
namespace {

// Frames of 20 ms that a median is taken of.
constexpr size_t kFilterWidth = 7;

size_t scratch_bytes(size_t frames) {
  return std::max({normalization_scratch_doubles(frames) * sizeof(double),
                   warping_scratch_doubles(frames) * sizeof(double),
                   median_filter_scratch_floats(frames) * sizeof(float)});
}

std::span<double> doubles(AlignedBuffer& buffer) {
  return {reinterpret_cast<double*>(buffer.data()), buffer.byte_count() / sizeof(double)};
}

}  // namespace

Result<AlignmentCosts> AlignmentCosts::create(size_t tokens, size_t frames, size_t first_row,
                                              size_t row_count) {
  SUSURRUS_CHECK(first_row + row_count <= tokens);
  AlignmentCosts made(tokens, frames, first_row, row_count);
  constexpr const char* kSubject = "word alignment";
  SUSURRUS_ASSIGN_OR_RETURN(
      made.scores_, AlignedBuffer::allocate(uint64_t{tokens} * frames * sizeof(float), kSubject));
  SUSURRUS_ASSIGN_OR_RETURN(
      made.sums_, AlignedBuffer::allocate(uint64_t{row_count} * frames * sizeof(float), kSubject));
  SUSURRUS_ASSIGN_OR_RETURN(made.scratch_,
                            AlignedBuffer::allocate(scratch_bytes(frames), kSubject));
  std::ranges::fill(made.sums_.floats(), 0.0f);
  made.path_.reserve(warping_path_steps(row_count, frames));
  return made;
}

void AlignmentCosts::normalise(const KernelTable& kernels) {
  kernels.softmax(tokens_, frames_, scores().data(), frames_);
  normalise_over_rows(tokens_, frames_, scores().data(), doubles(scratch_));
}

void AlignmentCosts::accumulate(const KernelTable& kernels) {
  const std::span<float> rows = scores().subspan(first_row_ * frames_, row_count_ * frames_);
  median_filter(row_count_, frames_, kFilterWidth, rows.data(), scratch_.floats());
  kernels.add(rows.size(), rows.data(), sums_.floats().data());
  ++head_count_;
}

void AlignmentCosts::warp() {
  const auto count = static_cast<float>(head_count_);
  for (float& value : sums_.floats()) value = -(value / count);
  dynamic_time_warping(row_count_, frames_, costs().data(), doubles(scratch_), scores_.bytes(),
                       path_);
}

}  // namespace susurrus
