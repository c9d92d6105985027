#pragma once
#include "tensor/model_family.h"

namespace susurrus {

/// The networks that tell speakers apart (scripts/speakers_model.mjs), whose tensors have one name and shape each.
extern const ModelFamily kSpeakersFamily;

/// For a store that takes nothing else.
std::span<const ModelFamily* const> speakers_alone();

}  // namespace susurrus
