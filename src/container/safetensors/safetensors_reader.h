#pragma once
#include "container/checkpoint_reader.h"

namespace susurrus {

/// The header of one SafeTensors file; dimensions and vocabulary are in other files.
class SafetensorsReader : public SteppedCheckpointReader<SafetensorsReader> {
 public:
  using SteppedCheckpointReader::SteppedCheckpointReader;

 private:
  friend class SteppedCheckpointReader<SafetensorsReader>;
  Status start();
  Status read_length(ByteSpan bytes);
  Status read_header(ByteSpan bytes);
};

}  // namespace susurrus
