#pragma once
#include <optional>
#include <string>

#include "base/result.h"
#include "container/model_metadata.h"
#include "container/tensor_info.h"

namespace susurrus {

/// The name of a type of ggml's tensors (whisper-sources.md §6): "Q4_K", or "type 99".
std::string ggml_type_name(uint32_t type);

/// The dtype of a type that weights may have. Others are rejected by name: unsupported_feature at `offset`.
Result<Dtype> ggml_dtype(uint32_t type, uint64_t offset, std::string_view tensor);

/// The number of a type that weights have.
uint32_t ggml_type(Dtype dtype);
/// That of a whole file with such matrices, which is another enumeration; nullopt for bf16, which has none.
std::optional<uint32_t> ggml_file_type(Dtype dtype);

/// Sets dtype, shape and the byte counts of `tensor` from dimensions that stand fastest first at `offset`; its name is
/// set before. malformed, bad_shape: an impossible product, or rows of no whole blocks.
Status set_ggml_shape(std::span<const uint64_t> dims, Dtype dtype, uint64_t offset,
                      TensorInfo& tensor);

}  // namespace susurrus
