#pragma once
#include <optional>
#include <string>
#include <vector>

#include "container/apr2/apr2_header.h"
#include "container/tensor_info.h"

namespace susurrus {

/// What the index's rules depend on beside its own bytes.
struct Apr2IndexContext {
  Apr2Header header;
  /// Piece size of the encryption scheme; nullopt when ENCRYPTED has no usable scheme. Ignored without ENCRYPTED.
  std::optional<uint64_t> encryption_piece_bytes;
};

struct Apr2Index {
  std::vector<TensorInfo> tensors;  // in order of their data
  std::vector<std::string> warnings;
};

/// Every rule that needs no file length: apr.md §10, cases 4, 47-59, 61.
Result<Apr2Index> parse_apr2_index(ByteSpan bytes, const Apr2IndexContext& context);

/// Cases 54 (bytes beyond the file) and 60.
Status check_apr2_tensors_fit(const std::vector<TensorInfo>& tensors, uint64_t file_byte_count);

}  // namespace susurrus
