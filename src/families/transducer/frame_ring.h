#pragma once
#include <span>

#include "base/aligned_buffer.h"

namespace susurrus {

/// Frames in the order in which they came, in memory for a fixed number of them.
class FrameRing {
 public:
  FrameRing() = default;
  /// out_of_memory.
  static Result<FrameRing> make(size_t capacity, size_t frame_values);

  size_t size() const { return size_; }
  bool is_full() const { return size_ == capacity_; }
  /// Where the next frame belongs; there is room. push() then makes it one.
  std::span<float> next_row() { return row(size_); }
  void push() { ++size_; }
  /// The oldest frames, as many as fit into `frames`.
  void copy_oldest(std::span<float> frames);
  void drop(size_t count);
  uint64_t byte_count() const { return values_.byte_count(); }

 private:
  std::span<float> row(size_t index) {
    return values_.floats().subspan((first_ + index) % capacity_ * frame_values_, frame_values_);
  }

  AlignedBuffer values_;
  size_t capacity_ = 0;
  size_t frame_values_ = 0;
  size_t first_ = 0;
  size_t size_ = 0;
};

}  // namespace susurrus
