#pragma once
#include <limits>
#include <string_view>

#include "base/aligned_buffer.h"
#include "values.h"

namespace susurrus {

/// Memory that JavaScript fills with a text which the core reads as a whole.
class TextWindow {
 public:
  explicit TextWindow(uint64_t capacity = std::numeric_limits<uint32_t>::max())
      : capacity_(capacity) {}

  /// Replaces the text before. Empty above the capacity, and if there is no memory.
  ByteView fill(double byte_count) {
    buffer_.reset();
    if (byte_count >= 0 && byte_count <= static_cast<double>(capacity_)) {
      auto buffer = AlignedBuffer::allocate(static_cast<uint64_t>(byte_count), "text");
      if (buffer) buffer_ = std::move(buffer).value();
    }
    return view(buffer_.bytes());
  }
  std::string_view text() const { return as_text(buffer_.bytes()); }
  void release() { buffer_.reset(); }

 private:
  uint64_t capacity_;
  AlignedBuffer buffer_;
};

}  // namespace susurrus
