#include "container/april/april_describer.h"

#include "base/json_writer.h"
#include "base/utf8.h"

namespace susurrus {
namespace {

void write_values(JsonWriter& json, const char* list, const std::vector<OnnxValue>& values) {
  json.key(list).begin_array();
  for (const OnnxValue& value : values) {
    json.begin_object()
        .field("name", std::string_view(replace_invalid_utf8(value.name)))
        .field("dtype", onnx_type_name(value.element_type));
    json.key("shape").begin_array();
    for (const int64_t dim : value.dims) json.value(static_cast<uint64_t>(dim));
    json.end_array().end_object();
  }
  json.end_array();
}

void write_network(JsonWriter& json, std::string_view name, ByteRange range,
                   const OnnxNetwork& network) {
  json.begin_object()
      .field("name", name)
      .field("offset", range.offset)
      .field("size", range.byte_count)
      .field("opset", network.opset_version)
      .field("nodes", network.node_count)
      .field("weights", network.initializer_count);
  write_values(json, "inputs", network.inputs);
  write_values(json, "outputs", network.outputs);
  json.key("operators").begin_array();
  for (const std::string& one : network.operators) {
    json.value(std::string_view(replace_invalid_utf8(one)));
  }
  json.end_array().end_object();
}

}  // namespace

Status AprilDescriber::push(ByteSpan chunk) {
  received_ += chunk.size();
  return reader_.push(chunk);
}

std::string AprilDescriber::facts() const {
  const AprilModel& model = reader_.model();
  const auto text = [](std::string_view bytes) { return replace_invalid_utf8(bytes); };
  const bool is_unknown = model.model_type == kAprilUnknownModel;
  JsonWriter json;
  json.begin_object()
      .field("format", "april")
      .field("version", std::to_string(kAprilVersion).c_str())
      .field("flags", "")
      .field("byteCount", received_)
      .field("warnings", std::span<const std::string>(reader_.warnings()));
  json.key("metadata")
      .begin_object()
      .field("language", std::string_view(text(model.language())))
      .field("name", std::string_view(text(model.name)))
      .field("description", std::string_view(text(model.description)))
      .field("model_type", is_unknown ? "unknown" : "lstm_transducer_stateless");
  json.key("params").begin_object();
  if (is_unknown) {
    json.field("offset", model.params_range.offset).field("size", model.params_range.byte_count);
  } else {
    for (const AprilParamField& field : kAprilParamFields) {
      json.key(field.name).json(std::to_string(model.params.*field.member));
    }
  }
  json.end_object().key("tokens").begin_array();
  for (const std::string& token : model.tokens) json.value(std::string_view(text(token)));
  json.end_array().end_object();
  json.key("tensors").begin_array().end_array();
  json.key("networks").begin_array();
  for (size_t i = 0; i < model.unknown_networks.size(); ++i) {
    const std::string name = "networks[" + std::to_string(i) + "]";
    write_network(json, name, model.unknown_networks[i], OnnxNetwork());
  }
  for (size_t i = 0; i < kAprilNetworks && !is_unknown; ++i) {
    write_network(json, kAprilNetworkNames[i], model.network_ranges[i], model.networks[i]);
  }
  return std::move(json.end_array().end_object()).text();
}

}  // namespace susurrus
