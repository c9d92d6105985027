#pragma once
#include "base/json_document.h"
#include "base/json_writer.h"
#include "container/model_metadata.h"

namespace susurrus {

/// Whisper's dimensions as a JSON object, under APR2's names and in its order.
void write_dimensions(JsonWriter& json, const WhisperDimensions& dimensions);
/// nullopt unless all ten are positive numbers of 32 bits.
std::optional<WhisperDimensions> read_dimensions(JsonValue object);

}  // namespace susurrus
