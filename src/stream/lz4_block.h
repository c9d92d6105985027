#pragma once
#include "base/bytes.h"

namespace susurrus {

enum class Lz4Fault { none, malformed, zero_offset };

struct Lz4Decoded {
  size_t byte_count = 0;
  Lz4Fault fault = Lz4Fault::none;
};

/// Decodes one LZ4 block into at most raw.size() bytes, of which those behind the decoded ones may be overwritten. Takes all that
/// liblz4 takes but a match offset of 0, which the format forbids (apr.md §10, case 66): looking for those takes almost as long
/// as decoding. How a block has to end (with five literals) is for those who write one.
Lz4Decoded decode_lz4_block(ByteSpan block, MutableByteSpan raw);

}  // namespace susurrus
