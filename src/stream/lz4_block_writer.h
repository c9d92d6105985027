#pragma once
#include "base/aligned_buffer.h"
#include "stream/byte_sink.h"

namespace susurrus {

/// Writes one tensor's LZ4 block stream (apr.md §3): raw blocks of 64 KiB, the last one shorter.
class Lz4BlockWriter {
 public:
  Status write(ByteSpan raw, ByteSink& sink);
  /// The last block. Then another tensor may begin.
  Status finish(ByteSink& sink);

 private:
  AlignedBuffer raw_;     // a block in the making
  AlignedBuffer stored_;  // its size and its compressed form
  size_t size_ = 0;
};

}  // namespace susurrus
