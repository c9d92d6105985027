#pragma once
#include <cstdint>
#include <optional>

namespace susurrus {

/// Options of a beam search, with flashlight's meaning and the defaults of talonvoice/w2ldecode. They come from
/// scripts/facts/beam_options.json.
struct BeamOptions {
#include "facts/beam_fields.inc"
};

}  // namespace susurrus
