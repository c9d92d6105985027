#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace susurrus::simd {

/// Touches weights shortly before they are needed. A processor's own prefetching stops at each page
/// of 4 KiB, and a product of packed weights computes too long to have the next page under way in
/// time; WebAssembly has no prefetch instruction. Touching the first lines of each page in advance
/// sets the processor going again (measured: f16 and q8_0 about 1.2 to 1.4 times as fast from memory).
/// f32 weights need little arithmetic: there the whole page in a burst is better.
class ReadAhead {
 public:
  ReadAhead(const uint8_t* first, size_t byte_count, bool whole_pages)
      : next_(first),
        left_(whole_pages && byte_count <= kCached ? 0 : byte_count),
        burst_(whole_pages ? kPage : 8 * kLine) {}

  /// `end` is what will be read next; mostly this does nothing.
  void reach(const uint8_t* end) {
    while (left_ > 0 && next_ < end + kAhead) {
      const size_t page_left = kPage - (reinterpret_cast<uintptr_t>(next_) & (kPage - 1));
      const size_t step = std::min(left_, page_left);
      const size_t burst = std::min(step, burst_);
      for (size_t i = 0; i < burst; i += kLine)
        (void)*static_cast<const volatile uint8_t*>(next_ + i);
      next_ += step;
      left_ -= step;
    }
  }

 private:
  static constexpr size_t kPage = 4096;
  static constexpr size_t kLine = 64;
  static constexpr size_t kAhead = 1024;
  /// f32 matrices up to this size are parts of small networks, which stay in the caches (measured: the voice detector takes 0.92
  /// of the time).
  static constexpr size_t kCached = 256 << 10;

  const uint8_t* next_;
  size_t left_;
  size_t burst_;
};

}  // namespace susurrus::simd
