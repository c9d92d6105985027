#pragma once
#include <cstdint>
#include <string>

#include "container/dtype.h"
#include "container/shape.h"

namespace susurrus {

/// One tensor as a file's index describes it; readers check every field before they pass it on.
struct TensorInfo {
  std::string name;
  Dtype dtype = Dtype::f32;
  Shape shape;
  /// Bytes once decompressed; follows from dtype and shape.
  uint64_t raw_byte_count = 0;
  /// Bytes in the file; equal to raw_byte_count unless is_compressed.
  uint64_t stored_byte_count = 0;
  uint64_t file_offset = 0;
  bool is_compressed = false;
  /// i8 weights of one scale: a value is its integer times this. 0: no weights, or weights of another type.
  float scale = 0;
  /// As APR2's index has them. They mean nothing, and are written as 0.
  uint32_t flags = 0;
};

/// The order in the file; tensors without bytes come first, and names decide between equals.
inline bool is_stored_before(const TensorInfo& a, const TensorInfo& b) {
  if (a.file_offset != b.file_offset) return a.file_offset < b.file_offset;
  if (a.stored_byte_count != b.stored_byte_count) return a.stored_byte_count < b.stored_byte_count;
  return a.name < b.name;
}

}  // namespace susurrus
