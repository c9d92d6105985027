#pragma once
#include <optional>
#include <vector>

#include "container/apr2/apr2_header.h"

namespace susurrus {

/// What code needs to know of an APR2 file that encrypts, signs or verifies it without decoding a tensor: where each entry
/// of the index and its parts stand.
struct Apr2Entry {
  std::string_view name;  // of the index's bytes
  /// Offsets in the index: of the entry, its name, its type (dtype, n_dims, dims) and its place (u64 offset, u64 size).
  size_t entry_at = 0;
  size_t name_at = 0;
  size_t type_at = 0;
  size_t place_at = 0;
  /// As stored; the offset is from data_offset.
  uint64_t offset = 0;
  uint64_t byte_count = 0;
  /// Bytes of all values, where they are stored as they are: raw_size is 0.
  std::optional<uint64_t> plain_byte_count;
};

/// In the order of the index. Rejects what parse_apr2_index() rejects; sizes of encrypted tensors are not checked, as the
/// encryption scheme is not known here.
Result<std::vector<Apr2Entry>> read_apr2_entries(ByteSpan index, const Apr2Header& header);

struct FoundFooter {
  Apr2Footer footer;
  /// The index after it in the searched bytes.
  size_t end = 0;
};

/// The first footer in `bytes` that closes a file where it stands; `file_offset` is that of the first byte.
std::optional<FoundFooter> find_apr2_footer(ByteSpan bytes, uint64_t file_offset);

/// The header of a file rewritten with other metadata: sections back to back, tensors on multiples of 64.
Apr2Header relaid_apr2_header(const Apr2Header& header, uint32_t flags,
                              uint32_t metadata_byte_count);

}  // namespace susurrus
