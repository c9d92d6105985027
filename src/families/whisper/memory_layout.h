#pragma once
#include <cstdint>
#include <initializer_list>
#include <optional>

#include "base/aligned_buffer.h"
#include "base/checked_math.h"

namespace susurrus {

/// A part of a block of floats; `offset` is a multiple of the alignment of buffers.
struct MemoryRegion {
  uint64_t offset = 0;
  uint64_t count = 0;
};

/// Places regions one after the other; an overflow sticks.
class MemoryLayout {
 public:
  explicit MemoryLayout(uint64_t begin = 0) : end_(begin) {}

  MemoryRegion place(std::initializer_list<uint64_t> factors) {
    constexpr uint64_t kRegionFloats = kBufferAlignment / sizeof(float);
    std::optional<uint64_t> count = 1;
    for (uint64_t factor : factors) {
      if (count) count = checked_multiply(*count, factor);
    }
    std::optional<uint64_t> end = count ? checked_add(end_, *count) : std::nullopt;
    if (end) end = checked_align_up(*end, kRegionFloats);
    // Beyond this, bytes would overflow as well.
    if (!end || *end > (uint64_t{1} << 60)) {
      has_overflowed_ = true;
      return {};
    }
    MemoryRegion region{end_, *count};
    end_ = *end;
    return region;
  }
  uint64_t end() const { return end_; }
  bool has_overflowed() const { return has_overflowed_; }

 private:
  uint64_t end_ = 0;
  bool has_overflowed_ = false;
};

}  // namespace susurrus
