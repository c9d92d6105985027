#pragma once
#include <optional>
#include <span>
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
  std::optional<uint64_t> file_byte_count;
};

struct Apr2Index {
  std::vector<TensorInfo> tensors;  // in order of their data
  std::vector<std::string> warnings;
  /// Case 54, a tensor larger than the whole file: wrong only if the file was not cut. The rest is then unchecked.
  std::optional<Error> length_error;
};

/// Checks every rule about the index itself: apr.md §10, cases 4, 47-59, 61.
Result<Apr2Index> parse_apr2_index(ByteSpan bytes, const Apr2IndexContext& context);

/// What STREAMING promises: no tensor of the encoder after one of the decoder.
bool is_in_streaming_order(std::span<const TensorInfo> tensors);

/// Case 60.
Status check_apr2_tensors_fit(const std::vector<TensorInfo>& tensors, uint64_t file_byte_count);

}  // namespace susurrus
