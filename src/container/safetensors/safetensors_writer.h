#pragma once
#include <memory>

#include "container/raw_tensors_writer.h"

namespace susurrus {

/// Writes one SafeTensors file (whisper-sources.md §9), tensors without gaps in the order given.
class SafetensorsWriter : public RawTensorsWriter {
 public:
  /// Of the tensors name, dtype, shape and stored_byte_count count. All are f32, f16 or bf16, none of 4 bytes behind one of 2,
  /// so that each begins at a multiple of its elements' size. invalid_argument otherwise.
  static Result<std::unique_ptr<SafetensorsWriter>> plan(std::vector<TensorInfo> tensors);

  /// The types that the format has of those of weights.
  static bool has_dtype(Dtype dtype);

 private:
  using RawTensorsWriter::RawTensorsWriter;
  Status place_tensors();
  std::vector<uint8_t> file_header() const override;
};

}  // namespace susurrus
