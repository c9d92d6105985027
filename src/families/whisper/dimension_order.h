#pragma once
#include "container/model_metadata.h"

namespace susurrus {

struct NamedDimension {
  const char* name;
  uint32_t WhisperDimensions::* field;
};

/// In the order of openai/whisper's checkpoints, in which ggml files and APR1 headers store them.
inline constexpr NamedDimension kStoredDimensions[] = {
    {"n_vocab", &WhisperDimensions::n_vocab},
    {"n_audio_ctx", &WhisperDimensions::n_audio_ctx},
    {"n_audio_state", &WhisperDimensions::n_audio_state},
    {"n_audio_head", &WhisperDimensions::n_audio_head},
    {"n_audio_layer", &WhisperDimensions::n_audio_layer},
    {"n_text_ctx", &WhisperDimensions::n_text_ctx},
    {"n_text_state", &WhisperDimensions::n_text_state},
    {"n_text_head", &WhisperDimensions::n_text_head},
    {"n_text_layer", &WhisperDimensions::n_text_layer},
    {"n_mels", &WhisperDimensions::n_mels},
};

}  // namespace susurrus
