#include "load_limits.h"

#include <lz4.h>

#include <algorithm>

#include "stream/running_crc32.h"

namespace susurrus::bench {

uint32_t crc32_of(ByteSpan bytes) {
  RunningCrc32 crc;
  crc.update(bytes);
  return crc.value();
}

uint32_t crc32_of_cached(ByteSpan bytes, size_t byte_count) {
  const ByteSpan piece = bytes.first(std::min(bytes.size(), kPieceBytes));
  RunningCrc32 crc;
  for (size_t at = 0; at < byte_count; at += piece.size()) {
    crc.update(piece.first(std::min(piece.size(), byte_count - at)));
  }
  return crc.value();
}

bool decode_blocks(ByteSpan blocks, MutableByteSpan raw) {
  while (blocks.size() >= sizeof(uint32_t)) {
    const auto byte_count = load_le<uint32_t>(blocks.data());
    blocks = blocks.subspan(sizeof byte_count);
    if (byte_count > blocks.size()) return false;
    const size_t room = std::min(raw.size(), size_t{64} << 10);
    const int decoded = LZ4_decompress_safe(reinterpret_cast<const char*>(blocks.data()),
                                            reinterpret_cast<char*>(raw.data()),
                                            static_cast<int>(byte_count), static_cast<int>(room));
    if (decoded <= 0) return false;
    blocks = blocks.subspan(byte_count);
    raw = raw.subspan(static_cast<size_t>(decoded));
  }
  return blocks.empty() && raw.empty();
}

}  // namespace susurrus::bench
