#pragma once
#include "base/bytes.h"

namespace susurrus {

/// Bounds-checked reading of one complete span. The first read past the end makes it fail for good and give zeros.
class ByteCursor {
 public:
  explicit ByteCursor(ByteSpan bytes) : bytes_(bytes) {}

  uint8_t u8() { return number<uint8_t>(); }
  uint16_t u16() { return number<uint16_t>(); }
  uint32_t u32() { return number<uint32_t>(); }
  uint64_t u64() { return number<uint64_t>(); }

  ByteSpan take(size_t byte_count) {
    if (failed_ || byte_count > remaining()) {
      failed_ = true;
      return {};
    }
    ByteSpan part = bytes_.subspan(position_, byte_count);
    position_ += byte_count;
    return part;
  }

  size_t position() const { return position_; }
  size_t remaining() const { return bytes_.size() - position_; }
  bool failed() const { return failed_; }

 private:
  template <typename T>
  T number() {
    ByteSpan part = take(sizeof(T));
    return part.empty() ? T{} : load_le<T>(part.data());
  }

  ByteSpan bytes_;
  size_t position_ = 0;
  bool failed_ = false;
};

}  // namespace susurrus
