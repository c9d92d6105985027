#pragma once
#include "base/bytes.h"

namespace susurrus {

/// CRC-32 as zlib, PNG and APR have it (apr.md §4), of bytes that pass in pieces.
class RunningCrc32 {
 public:
  void update(ByteSpan bytes);
  uint32_t value() const { return value_; }

 private:
  uint32_t value_ = 0;
};

}  // namespace susurrus
