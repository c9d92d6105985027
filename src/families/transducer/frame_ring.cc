#include "families/transducer/frame_ring.h"

#include <algorithm>

namespace susurrus {

Result<FrameRing> FrameRing::make(size_t capacity, size_t frame_values) {
  FrameRing ring;
  ring.capacity_ = capacity;
  ring.frame_values_ = frame_values;
  SUSURRUS_ASSIGN_OR_RETURN(
      ring.values_,
      AlignedBuffer::allocate(uint64_t{capacity} * frame_values * sizeof(float), "frames"));
  return ring;
}

void FrameRing::copy_oldest(std::span<float> frames) {
  const size_t count = frames.size() / frame_values_;
  SUSURRUS_CHECK(count <= size_);
  for (size_t i = 0; i < count; ++i) {
    std::ranges::copy(row(i), frames.begin() + static_cast<std::ptrdiff_t>(i * frame_values_));
  }
}

void FrameRing::drop(size_t count) {
  SUSURRUS_CHECK(count <= size_);
  first_ = (first_ + count) % capacity_;
  size_ -= count;
}

}  // namespace susurrus
