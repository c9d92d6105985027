#pragma once
#include <algorithm>

#include "base/aligned_buffer.h"
#include "base/bytes.h"
#include "values.h"

namespace susurrus {

/// Memory that JavaScript fills before a push. Taken at the first use, so that out_of_memory is an error of that push
/// and not a crash.
class InputWindow {
 public:
  explicit InputWindow(size_t capacity) : capacity_(capacity) {}

  /// At most the capacity; empty when there is no memory for it.
  ByteView fill(double byte_count) {
    if (buffer_.byte_count() == 0) {
      auto buffer = AlignedBuffer::allocate(capacity_, "input window");
      if (buffer) buffer_ = std::move(buffer).value();
    }
    size_t wanted =
        byte_count < 0 ? 0 : static_cast<size_t>(std::min<double>(byte_count, capacity_));
    return view(buffer_.bytes().first(std::min(wanted, buffer_.byte_count())));
  }

  /// The first `byte_count` bytes that were filled in.
  Result<ByteSpan> filled(double byte_count) const {
    if (buffer_.byte_count() == 0 && byte_count > 0) {
      return make_error(ErrorCode::out_of_memory, ErrorReason::memory).with_subject("input window");
    }
    if (!(byte_count >= 0) || byte_count > static_cast<double>(buffer_.byte_count())) {
      return make_error(ErrorCode::invalid_argument, ErrorReason::bounds).with_subject("byteCount");
    }
    return ByteSpan(buffer_.bytes().first(static_cast<size_t>(byte_count)));
  }

  /// Pushes them into a reader or writer.
  template <typename Target>
  ErrorText push_to(Target& target, double byte_count) const {
    auto bytes = filled(byte_count);
    return bytes ? failure(target.push(*bytes)) : failure(bytes);
  }

  void release() { buffer_.reset(); }

 private:
  size_t capacity_;
  AlignedBuffer buffer_;
};

}  // namespace susurrus
