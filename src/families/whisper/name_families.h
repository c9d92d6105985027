#pragma once
#include "base/result.h"
#include "container/checkpoint.h"

namespace susurrus {

/// Brings all tensors of a checkpoint to names and layouts that canonical_tensor_name() knows: MLX has two names of its own
/// and convolutions with their channels last (whisper-sources.md §10). Names of two families in one checkpoint are rejected:
/// malformed, contradiction.
Status adapt_name_family(std::span<CheckpointTensor> tensors);

}  // namespace susurrus
