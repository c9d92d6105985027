#include "container/dimensions_json.h"

namespace susurrus {
namespace {

struct Key {
  const char* name;
  uint32_t WhisperDimensions::* field;
};

constexpr Key kKeys[] = {
    {"n_vocab", &WhisperDimensions::n_vocab},
    {"n_audio_ctx", &WhisperDimensions::n_audio_ctx},
    {"n_text_ctx", &WhisperDimensions::n_text_ctx},
    {"n_mels", &WhisperDimensions::n_mels},
    {"n_audio_layer", &WhisperDimensions::n_audio_layer},
    {"n_text_layer", &WhisperDimensions::n_text_layer},
    {"n_audio_head", &WhisperDimensions::n_audio_head},
    {"n_text_head", &WhisperDimensions::n_text_head},
    {"n_audio_state", &WhisperDimensions::n_audio_state},
    {"n_text_state", &WhisperDimensions::n_text_state},
};

}  // namespace

void write_dimensions(JsonWriter& json, const WhisperDimensions& dimensions) {
  json.begin_object();
  for (const Key& key : kKeys) json.field(key.name, dimensions.*key.field);
  json.end_object();
}

std::optional<WhisperDimensions> read_dimensions(JsonValue object) {
  WhisperDimensions dimensions;
  for (const Key& key : kKeys) {
    const auto value = object[key.name].unsigned_integer();
    if (!value || *value == 0 || *value > UINT32_MAX) return std::nullopt;
    dimensions.*key.field = static_cast<uint32_t>(*value);
  }
  return dimensions;
}

}  // namespace susurrus
