#include "container/onnx_builder.h"

namespace susurrus::testing {
namespace {

Bytes value_message(const BuiltValue& value) {
  Bytes shape;
  for (const int64_t size : value.dims) {
    Bytes dim;
    if (size >= 0) {
      append_number_field(dim, 1, static_cast<uint64_t>(size));
    } else {
      append_text_field(dim, 2, "batch");
    }
    append_bytes_field(shape, 1, dim);
  }
  Bytes tensor_type;
  append_number_field(tensor_type, 1, value.element_type);
  append_bytes_field(tensor_type, 2, shape);
  Bytes type;
  append_bytes_field(type, 1, tensor_type);
  Bytes message;
  append_text_field(message, 1, value.name);
  append_bytes_field(message, 2, type);
  return message;
}

}  // namespace

void append_varint(Bytes& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<uint8_t>(value | 0x80));
  out.push_back(static_cast<uint8_t>(value));
}

void append_number_field(Bytes& out, uint32_t field, uint64_t value) {
  append_varint(out, uint64_t{field} << 3);
  append_varint(out, value);
}

void append_bytes_field(Bytes& out, uint32_t field, const Bytes& bytes) {
  append_varint(out, uint64_t{field} << 3 | 2);
  append_varint(out, bytes.size());
  out.insert(out.end(), bytes.begin(), bytes.end());
}

void append_text_field(Bytes& out, uint32_t field, std::string_view text) {
  append_bytes_field(out, field, Bytes(text.begin(), text.end()));
}

Bytes OnnxBuilder::build() const {
  Bytes graph;
  for (const Bytes& node : nodes) append_bytes_field(graph, 1, node);
  for (const Bytes& tensor : tensors) append_bytes_field(graph, 5, tensor);
  for (const std::string& name : operators) {
    Bytes node;
    append_text_field(node, 1, "from");
    append_text_field(node, 2, "to");
    append_text_field(node, 4, name);
    append_bytes_field(graph, 1, node);
  }
  append_text_field(graph, 2, "torch-jit-export");
  for (const std::string& name : initializers) {
    Bytes tensor;
    append_number_field(tensor, 1, 4);  // dims
    append_number_field(tensor, 2, 1);  // f32
    append_text_field(tensor, 8, name);
    append_bytes_field(tensor, 9, Bytes(16, 0x7F));  // raw_data
    append_bytes_field(graph, 5, tensor);
  }
  for (const BuiltValue& value : inputs) append_bytes_field(graph, 11, value_message(value));
  for (const BuiltValue& value : outputs) append_bytes_field(graph, 12, value_message(value));
  Bytes model;
  append_number_field(model, 1, 6);
  append_text_field(model, 2, "pytorch");
  if (has_graph) append_bytes_field(model, 7, graph);
  Bytes opset;
  append_text_field(opset, 1, "");
  append_number_field(opset, 2, 11);
  append_bytes_field(model, 8, opset);
  return model;
}

}  // namespace susurrus::testing
