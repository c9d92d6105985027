#pragma once
#include "base/aligned_buffer.h"
#include "stream/byte_sink.h"

namespace susurrus {

/// Collects written bytes until clear(); keeps its memory for the next ones.
class OutputBuffer : public ByteSink {
 public:
  Status write(ByteSpan bytes) override;
  ByteSpan bytes() const { return {buffer_.data(), size_}; }
  void clear() { size_ = 0; }

 private:
  AlignedBuffer buffer_;
  size_t size_ = 0;
};

}  // namespace susurrus
