#pragma once
#include <memory>

#include "container/raw_tensors_writer.h"

namespace susurrus {

/// Writes one SafeTensors file (whisper-sources.md §9), tensors without gaps in the order given.
class SafetensorsWriter : public RawTensorsWriter {
 public:
  /// Reads name, dtype, shape and stored_byte_count of each tensor. All are f32, f16 or bf16, and
  /// no 4-byte type follows a 2-byte type, so that each begins at a multiple of its element size.
  /// invalid_argument otherwise.
  static Result<std::unique_ptr<SafetensorsWriter>> plan(std::vector<TensorInfo> tensors);

  /// The types that the format has of those of weights.
  static bool has_dtype(Dtype dtype);

 private:
  using RawTensorsWriter::RawTensorsWriter;
  Status place_tensors();
  std::vector<uint8_t> file_header() const override;
};

}  // namespace susurrus
