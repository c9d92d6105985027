// The work that loading cannot avoid, piece by piece: npm run bench -- load compares against it.
#pragma once
#include "base/bytes.h"

namespace susurrus::bench {

/// Pieces in which a file passes through the engine.
inline constexpr size_t kPieceBytes = size_t{256} << 10;

/// The checksum of a whole file, by the engine's own code.
uint32_t crc32_of(ByteSpan bytes);
/// The first piece's checksum, until `byte_count` bytes have passed: its bytes are cached, like
/// those that a load has just copied.
uint32_t crc32_of_cached(ByteSpan bytes, size_t byte_count);
/// Decodes the blocks of one tensor (apr.md §3) and does nothing else; false unless they give exactly `raw`.
bool decode_blocks(ByteSpan blocks, MutableByteSpan raw);

}  // namespace susurrus::bench
