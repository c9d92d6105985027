#include "stream/running_crc32.h"

#include <zlib.h>

namespace susurrus {

void RunningCrc32::update(ByteSpan bytes) {
  constexpr size_t kPiece = size_t{1} << 30;  // zlib counts in 32 bits
  while (!bytes.empty()) {
    const ByteSpan piece = bytes.first(bytes.size() < kPiece ? bytes.size() : kPiece);
    value_ = static_cast<uint32_t>(crc32(value_, piece.data(), static_cast<uInt>(piece.size())));
    bytes = bytes.subspan(piece.size());
  }
}

}  // namespace susurrus
