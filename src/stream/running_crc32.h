#pragma once
#include <array>

#include "base/bytes.h"

namespace susurrus {

/// CRC-32 as zlib, PNG and APR have it (apr.md §4), of bytes that pass in pieces.
///
/// Needs no table: the CRC's polynomial divides x^300 + x^155 + x^117 + x^89 + 1, and so, since squaring a polynomial over
/// GF(2) doubles its exponents, the same with each exponent times 64. A block of 8 bytes may therefore be added to the
/// blocks 145, 183, 211 and 300 after it and forgotten: four XORs, which run at the speed of memory. The last 300 blocks
/// are what remains to be divided bit by bit.
class RunningCrc32 {
 public:
  RunningCrc32();
  void update(ByteSpan bytes);
  /// Takes some 20 000 steps.
  uint32_t value() const;

 private:
  static constexpr size_t kHistoryBytes = size_t{300} * 8;
  static constexpr size_t kBatchBytes = size_t{1} << 13;

  /// The last bytes with what was added to them, then room for new ones.
  std::array<uint8_t, kHistoryBytes + kBatchBytes> folded_ = {};
  size_t end_ = kHistoryBytes;
};

}  // namespace susurrus
