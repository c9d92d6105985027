#pragma once
#include <optional>

#include "base/bytes.h"

namespace susurrus {

/// Looks for an APR2 footer among the bytes behind the last tensor, so that a file with something appended is told apart
/// from one that was cut.
class FooterSearch {
 public:
  void push(ByteSpan bytes, uint64_t file_offset) {
    for (const uint8_t byte : bytes) {
      magic_ = magic_ >> 8 | static_cast<uint32_t>(size_ & 0xFF) << 24;
      size_ = size_ >> 8 | uint64_t{byte} << 56;
      ++file_offset;
      if (magic_ == kMagic && size_ == file_offset) end_ = file_offset;
    }
  }
  /// Where the file that the footer closes ends.
  std::optional<uint64_t> end() const { return end_; }

 private:
  static constexpr uint32_t kMagic = 0x41505232;  // "2RPA"
  uint32_t magic_ = 0;                            // the 4 bytes before the last 8
  uint64_t size_ = 0;                             // the last 8 bytes
  std::optional<uint64_t> end_;
};

}  // namespace susurrus
