#pragma once
#include "base/aligned_buffer.h"
#include "base/bytes.h"

namespace susurrus {

/// Gathers a known number of bytes, taking memory as they arrive rather than when their number is declared.
class GrowingBuffer {
 public:
  /// Forgets the contents. `extra_bytes` of room stay after the gathered bytes.
  void start(uint64_t total, const char* subject, size_t extra_bytes = 0);
  /// `bytes` must not exceed missing().
  Status append(ByteSpan bytes);
  uint64_t missing() const { return total_ - size_; }
  ByteSpan bytes() const { return {buffer_.data(), size_}; }
  /// The memory of a gathered section, with its room after; leaves this empty.
  AlignedBuffer take();

 private:
  AlignedBuffer buffer_;
  const char* subject_ = "";
  uint64_t total_ = 0;
  size_t extra_bytes_ = 0;
  size_t size_ = 0;
};

}  // namespace susurrus
