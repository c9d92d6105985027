#pragma once
#include <optional>

#include "base/bytes.h"

namespace susurrus {

/// Searches the bytes after the last tensor for an APR2 footer, which distinguishes a file with
/// appended bytes from a cut one, and for padding that is not zero.
class FooterSearch {
 public:
  void push(ByteSpan bytes, uint64_t file_offset) {
    for (const uint8_t byte : bytes) {
      if (byte != 0 && file_offset < first_nonzero_) first_nonzero_ = file_offset;
      magic_ = magic_ >> 8 | static_cast<uint32_t>(size_ & 0xFF) << 24;
      size_ = size_ >> 8 | uint64_t{byte} << 56;
      ++file_offset;
      if (magic_ == kMagic && size_ == file_offset) end_ = file_offset;
    }
  }
  /// The end of the file that the footer closes.
  std::optional<uint64_t> end() const { return end_; }
  /// The offset of the first nonzero byte; beyond every file if there is none.
  uint64_t first_nonzero() const { return first_nonzero_; }

 private:
  static constexpr uint32_t kMagic = 0x41505232;  // "2RPA"
  uint32_t magic_ = 0;                            // the 4 bytes before the last 8
  uint64_t size_ = 0;                             // the last 8 bytes
  std::optional<uint64_t> end_;
  uint64_t first_nonzero_ = ~uint64_t{0};
};

}  // namespace susurrus
