#include "stream/running_crc32.h"

#include <algorithm>

namespace susurrus {
namespace {

constexpr size_t kDistances[] = {size_t{145} * 8, size_t{183} * 8, size_t{211} * 8,
                                 size_t{300} * 8};
constexpr uint32_t kPolynomial = 0xEDB88320;  // bit-reversed, as the bits of each byte

/// Bytes are independent of each other as far as the shortest distance, so that the compiler makes vectors of them.
/// `oldest` is the first byte of the history; counted from there, all distances are constant offsets.
void fold(const uint8_t* __restrict bytes, size_t count, uint8_t* oldest) {
  constexpr size_t kNew = kDistances[3];
  for (size_t i = 0; i < count; ++i) {
    oldest[i + kNew] = static_cast<uint8_t>(bytes[i] ^ oldest[i + kNew - kDistances[0]] ^
                                            oldest[i + kNew - kDistances[1]] ^
                                            oldest[i + kNew - kDistances[2]] ^ oldest[i]);
  }
}

}  // namespace

RunningCrc32::RunningCrc32() {
  // After these four bytes a register that began as 0 is all ones, as the CRC has it at the beginning.
  constexpr uint8_t kBegin[] = {0x62, 0xF5, 0x26, 0x92};
  std::copy(std::begin(kBegin), std::end(kBegin), folded_.begin() + end_ - std::size(kBegin));
}

void RunningCrc32::update(ByteSpan bytes) {
  while (!bytes.empty()) {
    if (end_ == folded_.size()) {
      std::copy(folded_.end() - kHistoryBytes, folded_.end(), folded_.begin());
      end_ = kHistoryBytes;
    }
    const size_t count = std::min(bytes.size(), folded_.size() - end_);
    fold(bytes.data(), count, folded_.data() + (end_ - kHistoryBytes));
    end_ += count;
    bytes = bytes.subspan(count);
  }
}

uint32_t RunningCrc32::value() const {
  std::array<uint8_t, kHistoryBytes> last;
  std::copy_n(folded_.begin() + (end_ - kHistoryBytes), kHistoryBytes, last.begin());
  // What these bytes added to each other is taken back: they are still there.
  for (size_t i = kHistoryBytes; i-- > 0;) {
    for (size_t distance : kDistances) {
      if (i >= distance) last[i] ^= last[i - distance];
    }
  }
  uint32_t crc = 0;
  for (uint8_t byte : last) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc & 1 ? kPolynomial : 0);
  }
  return ~crc;
}

}  // namespace susurrus
