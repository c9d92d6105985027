#pragma once
#include "tensor/model_family.h"

namespace susurrus {

/// Whisper as loading knows it.
extern const ModelFamily kWhisperFamily;

/// A list of this one family.
std::span<const ModelFamily* const> whisper_alone();

}  // namespace susurrus
