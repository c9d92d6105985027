#pragma once
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "base/json_writer.h"
#include "base/result.h"
#include "container/tensor_info.h"

namespace susurrus {

/// Bytes of the length field and the JSON header that it announces, from a file's first 8 bytes. Rejects lengths beyond
/// the format's limit or the file.
Result<uint64_t> safetensors_header_byte_count(ByteSpan first_bytes, uint64_t file_byte_count);

/// Every tensor of a SafeTensors file (whisper-sources.md §9), in order of their data. `json` is the whole header after
/// its length field. A type that APR2 does not have (bool, f64, u16 …) is rejected only when the
/// tensor is one of Whisper's; others of such a type are left out. Texts of `__metadata__` go to `metadata`, if that is not null.
Result<std::vector<TensorInfo>> parse_safetensors_header(ByteSpan json, uint64_t file_byte_count,
                                                         JsonWriter* metadata = nullptr);

}  // namespace susurrus
