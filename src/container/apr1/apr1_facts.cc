#include "container/apr1/apr1_facts.h"

#include "base/json_writer.h"
#include "container/apr1/apr1_header.h"
#include "container/apr2/apr2_metadata.h"

namespace susurrus {
namespace {

constexpr size_t kModelTypeAt = 6;
constexpr size_t kQuantizationByte = 7;
constexpr size_t kCompressedByte = 8;
constexpr size_t kFlagsByte = 11;
constexpr std::string_view kModelNames[kApr1ModelTypes] = {
    "tiny",      "tiny.en", "base",     "base.en",  "small",    "small.en",       "medium",
    "medium.en", "large",   "large-v1", "large-v2", "large-v3", "large-v3-turbo",
};
constexpr const char* kQuantizations[] = {"f32", "f16", "int8"};

}  // namespace

std::string apr1_flag_names(ByteSpan header) {
  std::string names;
  const auto add = [&](bool is_set, const char* name) {
    if (!is_set) return;
    if (!names.empty()) names += ' ';
    names += name;
  };
  add(header[kCompressedByte] != 0, "COMPRESSED");
  add((header[kFlagsByte] & apr1_flags::kVocabulary) != 0, "VOCABULARY");
  add((header[kFlagsByte] & apr1_flags::kFilterbank) != 0, "FILTERBANK");
  return names;
}

std::string apr1_metadata_text(ByteSpan header, const ModelMetadata& metadata) {
  const uint8_t model_type = header[kModelTypeAt];
  const std::string_view name =
      model_type < kApr1ModelTypes ? kModelNames[model_type] : std::string_view();
  JsonWriter json;
  json.begin_object();
  if (name.empty()) {
    json.field("model_type", uint32_t{model_type});
  } else {
    json.field("model_type", name);
  }
  json.field("quantization", std::string_view(kQuantizations[header[kQuantizationByte]]));
  json.key("architecture").json(architecture_text(metadata.whisper()->dimensions));
  const auto add_length = [&](const char* key, uint64_t length) {
    if (length > 0) json.key(key).begin_object().field("length", length).end_object();
  };
  add_length("vocab", metadata.vocabulary.token_count());
  const uint64_t weight_count = metadata.mel_filterbank.byte_count() / sizeof(float);
  add_length("mel_filterbank", weight_count);
  if (weight_count > 0) {
    const uint64_t n_mels = metadata.whisper()->dimensions.n_mels;
    json.key("mel_filterbank_shape").begin_array();
    json.value(n_mels).value(weight_count / n_mels).end_array();
  }
  return std::move(json.end_object()).text();
}

}  // namespace susurrus
