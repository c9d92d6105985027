#pragma once
#include "base/result.h"
#include "container/checkpoint.h"

namespace susurrus {

/// Heads and contexts, where a file says them; 0 where it does not.
struct DeclaredDimensions {
  uint32_t n_audio_head = 0;
  uint32_t n_text_head = 0;
  uint32_t n_audio_ctx = 0;
};

/// Whisper's dimensions from the shapes of its tensors, in any order of their sides. Heads that nothing states are 64 wide,
/// as those of every Whisper; encoder positions may be absent, the official 1500 of them. missing_tensor: a tensor that
/// tells them is not there; malformed, bad_metadata: they cannot be what the shapes say.
Result<WhisperDimensions> dimensions_of_shapes(std::span<const CheckpointTensor> tensors,
                                               const DeclaredDimensions& stated);

}  // namespace susurrus
