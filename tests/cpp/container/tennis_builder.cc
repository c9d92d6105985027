#include "container/tennis_builder.h"

namespace susurrus::testing {
namespace {

void append_indices(Bytes& out, const std::vector<int32_t>& indices) {
  append_number(out, static_cast<int32_t>(indices.size()));
  for (const int32_t index : indices) append_number(out, index);
}

}  // namespace

Bytes TennisBuilder::build() {
  marks.clear();
  Bytes out;
  append_number(out, reserved_word);
  append_number(out, code);
  out.insert(out.end(), user_bytes.begin(), user_bytes.end());
  marks["inputs"] = out.size();
  append_indices(out, inputs);
  marks["outputs"] = out.size();
  append_indices(out, outputs);
  marks["nodes"] = out.size();
  append_number(out, static_cast<int32_t>(nodes.size()));
  for (size_t i = 0; i < nodes.size(); ++i) {
    const std::string here = "node " + std::to_string(i);
    marks[here] = out.size();
    append_number(out, static_cast<int32_t>(nodes[i].parameters.size()));
    for (const BuiltParameter& parameter : nodes[i].parameters) {
      const std::string mark = here + " " + parameter.name;
      marks[mark] = out.size();
      append_number(out, static_cast<int32_t>(parameter.name.size()));
      append_text(out, parameter.name);
      marks[mark + " fields"] = out.size();
      append_number(out, static_cast<int32_t>(parameter.fields.size()));
      for (size_t f = 0; f < parameter.fields.size(); ++f) {
        const BuiltField& field = parameter.fields[f];
        marks[mark + " " + std::to_string(f)] = out.size();
        append_number(out, field.dtype);
        append_indices(out, field.shape);
        marks[mark + " " + std::to_string(f) + " data"] = out.size();
        out.insert(out.end(), field.data.begin(), field.data.end());
      }
    }
    marks[here + " arguments"] = out.size();
    append_indices(out, nodes[i].arguments);
  }
  out.insert(out.end(), behind.begin(), behind.end());
  return out;
}

BuiltField int32_field(std::vector<int32_t> shape, const std::vector<int32_t>& values) {
  BuiltField field;
  field.shape = std::move(shape);
  for (const int32_t value : values) append_number(field.data, value);
  return field;
}

BuiltField float_field(std::vector<int32_t> shape, const std::vector<float>& values) {
  BuiltField field;
  field.dtype = 10;
  field.shape = std::move(shape);
  for (const float value : values) append_number(field.data, value);
  return field;
}

BuiltField text_field(std::string_view text) {
  BuiltField field;
  field.dtype = 13;
  field.shape = {static_cast<int32_t>(text.size())};
  append_text(field.data, text);
  return field;
}

BuiltParameter parameter(std::string name, BuiltField field) {
  return {std::move(name), {std::move(field)}};
}

BuiltNode node(std::string_view op, std::string_view name, std::vector<int32_t> arguments,
               std::vector<BuiltParameter> parameters) {
  BuiltNode built;
  built.parameters = std::move(parameters);
  built.parameters.push_back(parameter("#op", text_field(op)));
  built.parameters.push_back(parameter("#name", text_field(name)));
  built.arguments = std::move(arguments);
  return built;
}

TennisBuilder small_module() {
  TennisBuilder builder;
  for (size_t i = 0; i < builder.user_bytes.size(); ++i) {
    builder.user_bytes[i] = static_cast<uint8_t>(3 * i + 1);
  }
  builder.inputs = {0};
  builder.outputs = {3, 5};
  BuiltField scalar;
  scalar.dtype = 1;
  scalar.data = {0xFE};
  BuiltField halves;
  halves.dtype = 9;
  halves.shape = {2};
  halves.data = {0, 0x3C, 0, 0xC0};
  builder.nodes = {
      node("<param>", "x", {},
           {parameter("#shape", int32_field({4}, {-1, 3, 8, 8})),
            parameter("#dtype", int32_field({}, {10}))}),
      node("<const>", "weight", {},
           {parameter("value", float_field({2, 3, 1, 1}, {0, 1, -2, 0.5, 1e-8F, 3}))}),
      node("conv2d", "conv", {0, 1},
           {parameter("format", text_field("NCHW")),
            parameter("stride", int32_field({4}, {1, 1, 2, 2})),
            parameter("padding", int32_field({4, 2}, {0, 0, 0, 0, 1, 1, 1, 1})),
            parameter("#output_count", int32_field({}, {1}))}),
      node("relu", "y", {2}),
      node("<const>", "pair", {},
           {{"value", {halves, scalar}}, parameter("device", text_field("cpu"))}),
      node("_field", "second", {4}, {parameter("offset", int32_field({1}, {1}))}),
  };
  // The last node first: references forwards are allowed.
  std::swap(builder.nodes[2], builder.nodes[3]);
  builder.nodes[2].arguments = {3};
  builder.outputs = {2, 5};
  return builder;
}

TennisBuilder module_of_every_dtype() {
  constexpr int kSizes[] = {0, 1, 1, 2,  2, 4, 4, 8,  8, 2, 4, 8, -1, 1, 2, 4, 1,
                            2, 4, 8, 16, 1, 4, 8, 16, 1, 1, 1, 1, 1,  1, 1, 1};
  TennisBuilder builder;
  BuiltNode constant = node("<const>", "all", {});
  BuiltParameter value{"value", {}};
  for (int8_t dtype = 0; dtype <= 32; ++dtype) {
    if (kSizes[dtype] < 0) continue;
    BuiltField field;
    field.dtype = dtype;
    field.shape = {3, 1};
    for (int i = 0; i < 3 * kSizes[dtype]; ++i) {
      field.data.push_back(static_cast<uint8_t>(17 * i + dtype));
    }
    constant.parameters.push_back(parameter("dtype " + std::to_string(dtype), field));
    value.fields.push_back(field);
  }
  constant.parameters.push_back(value);
  BuiltField empty;
  empty.dtype = 11;
  empty.shape = {4, 0, 5};
  constant.parameters.push_back(parameter("empty", empty));
  constant.parameters.push_back({"no fields", {}});
  builder.nodes = {constant, node("_pack", "out", {0})};
  builder.outputs = {1};
  return builder;
}

}  // namespace susurrus::testing
