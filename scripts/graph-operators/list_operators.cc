// list_operators: every operator of graphs, and what runs of ONNX and TenniS, as JSON on stdout.
#include <cmath>
#include <cstdio>
#include <string>

#include "base/json_writer.h"
#include "graph/onnx/onnx_translation.h"
#include "graph/operator.h"
#include "graph/tennis/tennis_translation.h"

namespace {

using namespace susurrus;

constexpr std::string_view kKinds[] = {"integer", "number", "integers", "numbers", "text"};
constexpr std::string_view kSharing[] = {"none", "in place", "view"};

/// Where an attribute is not given.
std::string usual_text(const AttributeSpec& attribute) {
  switch (attribute.kind) {
    case AttributeKind::text: return std::string(attribute.usual_text);
    case AttributeKind::integers:
    case AttributeKind::numbers: return "none";
    default: break;
  }
  if (std::isinf(attribute.usual)) return attribute.usual < 0 ? "−∞" : "∞";
  char text[32];
  std::snprintf(text, sizeof text, "%g", attribute.usual);
  return text;
}

void write_attribute(JsonWriter& json, const AttributeSpec& attribute) {
  json.begin_object();
  json.field("name", attribute.name);
  json.field("kind", kKinds[static_cast<size_t>(attribute.kind)]);
  json.key("usual");
  if (attribute.is_required) {
    json.json("null");
  } else {
    json.value(usual_text(attribute));
  }
  json.end_object();
}

void write_count(JsonWriter& json, std::string_view name, uint8_t least, uint8_t most) {
  json.key(name).begin_array().value(uint32_t{least});
  if (most == kAnyNumber) {
    json.json("null");
  } else {
    json.value(uint32_t{most});
  }
  json.end_array();
}

void write_operator(JsonWriter& json, const Operator& op) {
  json.begin_object();
  json.field("name", op.name);
  write_count(json, "inputs", op.least_inputs, op.most_inputs);
  write_count(json, "outputs", op.least_outputs, op.most_outputs);
  json.field("sharing", kSharing[static_cast<size_t>(op.sharing)]);
  json.field("takesPacked", op.packed_inputs != 0);
  json.key("attributes").begin_array();
  for (const AttributeSpec& attribute : op.attributes) write_attribute(json, attribute);
  json.end_array().end_object();
}

}  // namespace

int main() {
  JsonWriter json;
  json.begin_object();
  json.key("primitives").begin_array();
  for (const auto list : operator_lists()) {
    for (const Operator& op : list) write_operator(json, op);
  }
  json.end_array();
  json.key("onnx").begin_array();
  for (const OnnxOperator& op : onnx_operators()) json.value(op.name);
  json.end_array();
  json.key("tennis").begin_array();
  for (const auto list : tennis_operator_lists()) {
    for (const TennisOperator& op : list) json.value(op.name);
  }
  json.end_array().end_object();
  std::fwrite(json.text().data(), 1, json.text().size(), stdout);
}
