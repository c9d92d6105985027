#pragma once
#include "base/bytes.h"
#include "base/result.h"

namespace susurrus {

/// Takes the bytes of a file that is being written, in order.
class ByteSink {
 public:
  virtual ~ByteSink() = default;
  virtual Status write(ByteSpan bytes) = 0;
};

}  // namespace susurrus
