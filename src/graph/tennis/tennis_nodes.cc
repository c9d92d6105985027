#include "graph/tennis/tennis_nodes.h"

#include "container/tennis/tennis_writer.h"

namespace susurrus {

void WrittenParameter::append(const void* from, size_t byte_count) {
  const auto* own = static_cast<const uint8_t*>(from);
  bytes.insert(bytes.end(), own, own + byte_count);
}

WrittenParameter WrittenParameter::text(std::string name, std::string_view value) {
  WrittenParameter parameter{std::move(name), TennisDtype::char8, {value.size()}, {}};
  parameter.append(value.data(), value.size());
  return parameter;
}

WrittenParameter WrittenParameter::integers(std::string name, std::span<const int64_t> values,
                                            const Shape& shape) {
  WrittenParameter parameter{std::move(name), TennisDtype::i32, shape, {}};
  for (const int64_t value : values) {
    uint8_t bytes[4];
    store_le(bytes, static_cast<uint32_t>(value));
    parameter.append(bytes, sizeof bytes);
  }
  return parameter;
}

uint32_t TennisNodes::add(std::string_view op, std::string_view name,
                          std::vector<uint32_t> arguments,
                          std::vector<WrittenParameter> parameters) {
  Node node;
  node.parameters.push_back(WrittenParameter::text("#op", op));
  node.parameters.push_back(WrittenParameter::text("#name", name));
  for (WrittenParameter& parameter : parameters) node.parameters.push_back(std::move(parameter));
  node.arguments = std::move(arguments);
  nodes_.push_back(std::move(node));
  return static_cast<uint32_t>(nodes_.size() - 1);
}

Status TennisNodes::write(std::span<const uint32_t> inputs, std::span<const uint32_t> outputs,
                          ByteSink& sink) const {
  TennisWriter writer(sink);
  SUSURRUS_RETURN_IF_ERROR(writer.on_header({}));
  SUSURRUS_RETURN_IF_ERROR(writer.on_module(inputs, outputs, static_cast<uint32_t>(nodes_.size())));
  for (const Node& node : nodes_) {
    SUSURRUS_RETURN_IF_ERROR(writer.on_node(static_cast<uint32_t>(node.parameters.size())));
    for (const WrittenParameter& parameter : node.parameters) {
      SUSURRUS_RETURN_IF_ERROR(writer.on_parameter(parameter.name, 1));
      TennisTensor tensor;
      tensor.dtype = parameter.dtype;
      tensor.shape = parameter.shape;
      SUSURRUS_RETURN_IF_ERROR(writer.on_tensor(tensor));
      if (!parameter.bytes.empty()) {
        SUSURRUS_RETURN_IF_ERROR(writer.on_tensor_bytes(parameter.bytes));
      }
    }
    SUSURRUS_RETURN_IF_ERROR(writer.on_node_end(node.arguments));
  }
  return writer.finish();
}

TennisDtype tennis_dtype(ElementType type) {
  switch (type) {
    case ElementType::f32: return TennisDtype::f32;
    case ElementType::f64: return TennisDtype::f64;
    case ElementType::f16: return TennisDtype::f16;
    case ElementType::i8: return TennisDtype::i8;
    case ElementType::u8: return TennisDtype::u8;
    case ElementType::i16: return TennisDtype::i16;
    case ElementType::u16: return TennisDtype::u16;
    case ElementType::i32: return TennisDtype::i32;
    case ElementType::u32: return TennisDtype::u32;
    case ElementType::i64: return TennisDtype::i64;
    case ElementType::u64: return TennisDtype::u64;
    case ElementType::boolean: return TennisDtype::boolean;
  }
  return TennisDtype::void_type;
}

}  // namespace susurrus
