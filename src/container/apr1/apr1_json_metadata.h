#pragma once
#include <span>

#include "base/json_document.h"
#include "container/apr2/apr2_metadata.h"
#include "container/tensor_info.h"

namespace susurrus {

/// The JSON layout's metadata (apr.md §7.4), which promise nothing: dimensions stand in `architecture` or beside it, or follow
/// from the tensors' shapes; vocabulary and filterbank are as in APR2. A file without Whisper's first tensor is not a Whisper:
/// its model_type is what it says, or "unknown".
Result<Apr2Metadata> read_apr1_json_metadata(const JsonDocument& document,
                                             std::span<const TensorInfo> tensors,
                                             uint64_t file_offset);

}  // namespace susurrus
