#pragma once
#include <optional>
#include <vector>

#include "base/json_document.h"
#include "container/apr1/apr1_header.h"
#include "container/tensor_info.h"

namespace susurrus {

/// The tensors of an index, checked, with their places in the file.
struct Apr1Index {
  std::vector<TensorInfo> tensors;  // in the order of their data
  /// The first tensor with unused bytes in front of it. The file's length tells whether the offset or the end is wrong:
  /// apr1_gap_error().
  std::optional<size_t> gap;
  // What is acceptable but noteworthy.
  bool has_wide_halves = false;
  bool has_raw_streams = false;
  bool has_cut_names = false;
  bool has_reserved_bytes = false;
};

/// Entries of 96 bytes, then, with int8, a scale for each. `index_offset` is that of `bytes` in the file. `index` is empty.
Status parse_apr1_index(ByteSpan bytes, const Apr1Header& header, uint64_t index_offset,
                        Apr1Index& index);

/// The JSON layout's list of {name, dtype, shape, offset, size}; offsets count from `data_offset`.
Status read_apr1_json_index(JsonValue list, uint32_t tensor_count, uint64_t index_offset,
                            uint64_t data_offset, Apr1Index& index);

/// What is wrong with an index that has a gap, in a file of this length.
Error apr1_gap_error(const Apr1Index& index, uint64_t file_byte_count);

}  // namespace susurrus
