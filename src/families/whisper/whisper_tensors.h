#pragma once
#include <span>
#include <vector>

#include "container/model_metadata.h"
#include "families/whisper/tensor_names.h"
#include "tensor/wanted_tensors.h"

namespace susurrus {

/// Every tensor of a Whisper of these dimensions, in execution order: encoder, then decoder.
/// The caller bounds the layer counts (kMaxWhisperLayers).
std::vector<WantedTensor> whisper_tensors(const WhisperDimensions& dimensions);
inline constexpr uint32_t kMaxWhisperLayers = 1024;

struct WhisperTensorRules : TensorMatchRules {
  /// They are fixed sinusoids, which a converter can compute.
  bool may_lack_encoder_positions = false;
};

/// match_tensors() for a Whisper, filterbank included.
Result<TensorMatch> match_whisper_tensors(const WhisperDimensions& dimensions,
                                          std::span<const TensorInfo> tensors,
                                          const WhisperTensorRules& rules);

/// What inference needs of a whole model beyond its tensors: cases 62, 78, 81.
Status check_whisper_vocabulary(const ModelMetadata& metadata);  // case 78 alone
Status check_whisper_model(const ModelMetadata& metadata, std::span<const TensorInfo> tensors);

}  // namespace susurrus
