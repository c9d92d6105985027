#include "container/bw2l/bw2l_describer.h"

#include "base/json_writer.h"
#include "base/utf8.h"

namespace susurrus {
namespace {

/// As an object; of equal keys the last counts there, and empty ones are dropped.
void write_pairs(JsonWriter& json, const Bw2lModel& model, const char* section) {
  json.key(section).begin_object();
  if (const Bw2lSection* found = model.find(section)) {
    for (const Bw2lPair& pair : found->pairs) {
      if (pair.key.empty()) continue;
      json.field(replace_invalid_utf8(pair.key),
                 std::string_view(replace_invalid_utf8(pair.value)));
    }
  }
  json.end_object();
}

void write_array(JsonWriter& json, std::string_view name, const Bw2lArray& array) {
  json.begin_object().field("name", name).field("dtype", bw2l_dtype_traits(array.dtype).name);
  json.key("shape").begin_array().value(array.count).end_array();
  json.field("offset", array.file_offset)
      .field("size", array.byte_count())
      .field("rawSize", array.byte_count())
      .end_object();
}

}  // namespace

Status Bw2lDescriber::push(ByteSpan chunk) {
  received_ += chunk.size();
  return reader_.push(chunk);
}

std::string Bw2lDescriber::facts() const {
  const Bw2lModel& model = reader_.model();
  const Bw2lSettings& settings = reader_.settings();
  JsonWriter json;
  json.begin_object()
      .field("format", "BW2L")
      .field("version", std::to_string(kBw2lVersion).c_str())
      .field("flags", "")
      .field("byteCount", received_)
      .field("warnings", std::span<const std::string>(reader_.warnings()));
  json.key("metadata")
      .begin_object()
      .field("name", std::string_view(replace_invalid_utf8(model.name)))
      .field("criterion", bw2l_criterion_name(settings.criterion))
      .field("feature", bw2l_feature_name(settings.feature))
      .field("samplerate", settings.samplerate);
  write_pairs(json, model, "config");
  write_pairs(json, model, "flags");
  json.key("tokens").begin_array();
  for (const std::string& token : reader_.tokens()) json.value(std::string_view(token));
  json.end_array().end_object();

  json.key("sections").begin_array();
  for (const Bw2lSection& section : model.sections) {
    json.begin_object()
        .field("name", std::string_view(replace_invalid_utf8(section.name)))
        .field("type", std::string_view(replace_invalid_utf8(section.type)))
        .field("description", std::string_view(replace_invalid_utf8(section.description)))
        .field("offset", section.data_offset)
        .field("size", section.byte_count)
        .end_object();
  }
  json.end_array();

  // Every array is a tensor, in file order; layers name theirs by index.
  JsonWriter tensors;
  JsonWriter layers;
  tensors.begin_array();
  layers.begin_array();
  uint64_t tensor_count = 0;
  const Bw2lSection* network = model.find("layers");
  for (const Bw2lSection& section : model.sections) {
    const std::string name = replace_invalid_utf8(section.name);
    if (section.kind() == Bw2lKind::array) {
      write_array(tensors, name, section.array);
      ++tensor_count;
    }
    for (size_t i = 0; i < section.layers.size(); ++i) {
      const Bw2lLayer& layer = section.layers[i];
      const std::string prefix = name + "[" + std::to_string(i) + "].";
      const uint64_t first = tensor_count;
      for (const Bw2lArray& array : layer.arrays) {
        write_array(tensors, prefix + std::to_string(tensor_count++ - first), array);
      }
      if (&section != network) continue;
      layers.begin_object()
          .field("arch", std::string_view(replace_invalid_utf8(layer.arch)))
          .field("scale", layer.scale);
      layers.key("offset").exact(layer.offset);
      layers.key("tensors").begin_array();
      for (uint64_t tensor = first; tensor < tensor_count; ++tensor) layers.value(tensor);
      layers.end_array().end_object();
    }
  }
  json.key("layers").json(layers.end_array().text());
  json.key("tensors").json(tensors.end_array().text());
  return std::move(json.end_object()).text();
}

}  // namespace susurrus
