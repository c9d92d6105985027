#pragma once
#include "container/model_metadata.h"

namespace susurrus {

struct NamedDimension {
  const char* name;
  uint32_t WhisperDimensions::* field;
};

/// In the order of openai/whisper's checkpoints, in which ggml files and APR1 headers store them.
inline constexpr NamedDimension kStoredDimensions[] = {
#define SUSURRUS_DIMENSION(name) {#name, &WhisperDimensions::name},
#include "facts/stored_dimensions.inc"
#undef SUSURRUS_DIMENSION
};

}  // namespace susurrus
