#pragma once
#include <cmath>
#include <utility>

#include "stream/byte_sink.h"

namespace susurrus {

/// Looks at f32 values, in pieces cut anywhere.
class LargestValue : public ByteSink {
 public:
  Status write(ByteSpan bytes) override {
    for (const uint8_t byte : bytes) {
      bytes_[size_++] = byte;
      if (size_ < sizeof(float)) continue;
      size_ = 0;
      const float magnitude = std::fabs(load_le<float>(bytes_));
      if (magnitude > largest_) largest_ = magnitude;
    }
    return ok_status();
  }
  float take() { return std::exchange(largest_, 0.0f); }

 private:
  uint8_t bytes_[sizeof(float)] = {};
  size_t size_ = 0;
  float largest_ = 0;  // NaN counts for nothing
};

/// The scale of integers whose largest value stands for `largest` (apr.md §1.5).
inline float integer_scale(float largest) {
  constexpr float kLargestInteger = 127;
  const float scale = largest / kLargestInteger;
  return scale > 0 ? scale : 1;
}

}  // namespace susurrus
