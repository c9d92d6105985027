#pragma once
#include <array>

#include "base/bytes.h"

namespace susurrus {

/// Holds back the last Capacity bytes of a stream, so that a footer is found by being last.
template <size_t Capacity>
class TailWindow {
 public:
  /// Gives every byte that is no longer among the last ones to `leave(ByteSpan)`, in order.
  template <typename Leave>
  void push(ByteSpan chunk, Leave&& leave) {
    if (chunk.size() >= Capacity) {
      leave(bytes());
      leave(chunk.first(chunk.size() - Capacity));
      std::memcpy(held_.data(), chunk.data() + (chunk.size() - Capacity), Capacity);
      size_ = Capacity;
      return;
    }
    const size_t leaving = size_ + chunk.size() > Capacity ? size_ + chunk.size() - Capacity : 0;
    leave(bytes().first(leaving));
    std::memmove(held_.data(), held_.data() + leaving, size_ - leaving);
    size_ -= leaving;
    if (!chunk.empty()) std::memcpy(held_.data() + size_, chunk.data(), chunk.size());
    size_ += chunk.size();
  }

  ByteSpan bytes() const { return {held_.data(), size_}; }

 private:
  std::array<uint8_t, Capacity> held_{};
  size_t size_ = 0;
};

}  // namespace susurrus
