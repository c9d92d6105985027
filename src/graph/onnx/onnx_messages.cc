#include "graph/onnx/onnx_messages.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/checked_math.h"
#include "graph/ops/wide_elements.h"

namespace susurrus {
namespace {

/// How deep graphs may nest in If, Loop and Scan.
constexpr uint32_t kMostDepth = 8;
/// An input or output of a node: its name, and what shape rules are given of it for a moment.
constexpr uint64_t kArgumentBytes = kGrowingBytes<std::string_view> + 128;

Result<Shape> read_dims(ProtoReader reader, const ProtoField& field, Shape shape) {
  if (field.kind == ProtoField::Kind::varint) {
    if (shape.rank() == limits::kMaxDims) return reader.bad(ErrorReason::bad_shape);
    shape.append(field.value);
    return shape;
  }
  for (ProtoReader packed = reader.within(field); !packed.at_end();) {
    SUSURRUS_ASSIGN_OR_RETURN(const uint64_t dim, packed.varint());
    if (shape.rank() == limits::kMaxDims) return reader.bad(ErrorReason::bad_shape);
    shape.append(dim);
  }
  return shape;
}

Result<OnnxGraphMessage> read_graph(ProtoReader reader, uint32_t depth);

/// Makes room for `count` more.
template <typename Number>
Status reserve(const ProtoReader& reader, size_t count, std::vector<Number>& values) {
  const size_t wanted = values.size() + count;
  if (wanted <= values.capacity()) return ok_status();
  // Many short lists are as good as single numbers.
  const size_t room = values.empty() ? wanted : std::max(wanted, 2 * values.capacity());
  SUSURRUS_RETURN_IF_ERROR(reader.take(room * sizeof(Number)));
  values.reserve(room);
  return ok_status();
}

Status read_integers(ProtoReader reader, const ProtoField& field, std::vector<int64_t>& values) {
  if (field.kind == ProtoField::Kind::varint) {
    SUSURRUS_RETURN_IF_ERROR(reader.take(kGrowingBytes<int64_t>));
    values.push_back(static_cast<int64_t>(field.value));
    return ok_status();
  }
  const auto ends = [](uint8_t byte) { return byte < 128; };
  SUSURRUS_RETURN_IF_ERROR(
      reserve(reader, static_cast<size_t>(std::ranges::count_if(field.bytes, ends)), values));
  for (ProtoReader packed = reader.within(field); !packed.at_end();) {
    SUSURRUS_ASSIGN_OR_RETURN(const uint64_t value, packed.varint());
    values.push_back(static_cast<int64_t>(value));
  }
  return ok_status();
}

Status read_floats(ProtoReader reader, const ProtoField& field, std::vector<double>& values) {
  const auto add = [&](uint32_t bits) {
    values.push_back(static_cast<double>(std::bit_cast<float>(bits)));
  };
  if (field.kind == ProtoField::Kind::fixed32) {
    SUSURRUS_RETURN_IF_ERROR(reader.take(kGrowingBytes<double>));
    add(static_cast<uint32_t>(field.value));
    return ok_status();
  }
  if (field.bytes.size() % 4 != 0) return reader.bad(ErrorReason::size_mismatch);
  SUSURRUS_RETURN_IF_ERROR(reserve(reader, field.bytes.size() / 4, values));
  for (size_t at = 0; at < field.bytes.size(); at += 4) {
    uint32_t bits = 0;
    std::memcpy(&bits, field.bytes.data() + at, 4);
    add(bits);
  }
  return ok_status();
}

Result<OnnxAttribute> read_attribute(ProtoReader reader, uint32_t depth) {
  using Kind = OnnxAttribute::Kind;
  OnnxAttribute attribute;
  Kind found = Kind::none;
  uint64_t type = 0;
  for (;;) {
    SUSURRUS_ASSIGN_OR_RETURN(const auto field, reader.next());
    if (!field) break;
    switch (field->number) {
      case 1: attribute.name = field->text(); break;
      case 2:
        attribute.number = std::bit_cast<float>(static_cast<uint32_t>(field->value));
        found = Kind::number;
        break;
      case 3:
        attribute.integer = static_cast<int64_t>(field->value);
        found = Kind::integer;
        break;
      case 4:
        attribute.text = field->text();
        found = Kind::text;
        break;
      case 5: {
        SUSURRUS_RETURN_IF_ERROR(reader.take(sizeof(OnnxTensor)));
        SUSURRUS_ASSIGN_OR_RETURN(OnnxTensor tensor,
                                  read_onnx_tensor(reader.within(*field), field->offset));
        attribute.tensor = std::make_unique<OnnxTensor>(tensor);
        found = Kind::tensor;
        break;
      }
      case 6: {
        SUSURRUS_RETURN_IF_ERROR(reader.take(sizeof(OnnxGraphMessage)));
        SUSURRUS_ASSIGN_OR_RETURN(OnnxGraphMessage graph,
                                  read_graph(reader.within(*field), depth + 1));
        attribute.graph.clear();
        attribute.graph.push_back(std::move(graph));
        found = Kind::graph;
        break;
      }
      case 7:
        SUSURRUS_RETURN_IF_ERROR(read_floats(reader, *field, attribute.numbers));
        found = Kind::numbers;
        break;
      case 8:
        SUSURRUS_RETURN_IF_ERROR(read_integers(reader, *field, attribute.integers));
        found = Kind::integers;
        break;
      case 20: type = field->value; break;
      case 13:  // doc_string
        break;
      default: found = Kind::other; break;
    }
  }
  // Fields that hold 0 or nothing may be left out; the type then says which it is.
  constexpr Kind kTypes[] = {Kind::none,   Kind::number, Kind::integer, Kind::text,
                             Kind::tensor, Kind::graph,  Kind::numbers, Kind::integers};
  attribute.kind = found;
  if (found == Kind::none && type < std::size(kTypes)) attribute.kind = kTypes[type];
  if (attribute.kind == Kind::tensor && attribute.tensor == nullptr) {
    SUSURRUS_RETURN_IF_ERROR(reader.take(sizeof(OnnxTensor)));
    attribute.tensor = std::make_unique<OnnxTensor>();
  }
  return attribute;
}

Result<OnnxNode> read_node(ProtoReader reader, uint64_t offset, uint32_t depth) {
  OnnxNode node;
  node.offset = offset;
  for (;;) {
    SUSURRUS_ASSIGN_OR_RETURN(const auto field, reader.next());
    if (!field) return node;
    switch (field->number) {
      case 1:
      case 2:
        SUSURRUS_RETURN_IF_ERROR(reader.take(kArgumentBytes));
        (field->number == 1 ? node.inputs : node.outputs).push_back(field->text());
        break;
      case 3: node.name = field->text(); break;
      case 4: node.op_type = field->text(); break;
      case 5: {
        SUSURRUS_RETURN_IF_ERROR(reader.take(kGrowingBytes<OnnxAttribute>));
        SUSURRUS_ASSIGN_OR_RETURN(OnnxAttribute attribute,
                                  read_attribute(reader.within(*field), depth));
        node.attributes.push_back(std::move(attribute));
        break;
      }
      case 7: node.domain = field->text(); break;
      default: break;
    }
  }
}

/// A path of numbers of fields that are messages; the last one's fields are visited.
template <typename Visit>
Status visit_fields(ProtoReader reader, Visit&& visit) {
  for (;;) {
    SUSURRUS_ASSIGN_OR_RETURN(const auto field, reader.next());
    if (!field) return ok_status();
    SUSURRUS_RETURN_IF_ERROR(visit(reader, *field));
  }
}

}  // namespace

Result<OnnxValueInfo> read_onnx_value(ProtoReader whole) {
  OnnxValueInfo value;
  Status status = visit_fields(whole, [&](ProtoReader& info, const ProtoField& field) -> Status {
    if (field.number == 1) value.name = field.text();
    if (field.number != 2) return ok_status();
    return visit_fields(
        info.within(field), [&](ProtoReader& type, const ProtoField& kind) -> Status {
          if (kind.number != 1) return ok_status();  // tensor_type
          return visit_fields(
              type.within(kind), [&](ProtoReader& tensor, const ProtoField& part) -> Status {
                if (part.number == 1) value.element_type = part.value;
                if (part.number != 2) return ok_status();
                value.has_shape = true;
                return visit_fields(
                    tensor.within(part), [&](ProtoReader& shape, const ProtoField& dim) -> Status {
                      if (dim.number != 1) return ok_status();
                      int64_t size = -1;
                      SUSURRUS_RETURN_IF_ERROR(visit_fields(
                          shape.within(dim), [&](ProtoReader&, const ProtoField& one) -> Status {
                            if (one.number == 1) size = static_cast<int64_t>(one.value);
                            return ok_status();
                          }));
                      // More are too many, whatever they are.
                      if (value.dims.size() <= limits::kMaxDims) value.dims.push_back(size);
                      return ok_status();
                    });
              });
        });
  });
  if (!status) return status.error();
  return value;
}

namespace {

Status read_graph_field(ProtoReader reader, uint64_t field, uint64_t offset, uint32_t depth,
                        OnnxGraphMessage& graph) {
  switch (field) {
    case 1: {
      SUSURRUS_RETURN_IF_ERROR(reader.take(kGrowingBytes<OnnxNode>));
      SUSURRUS_ASSIGN_OR_RETURN(OnnxNode node, read_node(reader, offset, depth));
      graph.nodes.push_back(std::move(node));
      break;
    }
    case 5: {
      SUSURRUS_RETURN_IF_ERROR(reader.take(kGrowingBytes<OnnxTensor>));
      SUSURRUS_ASSIGN_OR_RETURN(OnnxTensor tensor, read_onnx_tensor(reader, offset));
      graph.initializers.push_back(std::move(tensor));
      break;
    }
    // A branch of If has no inputs.
    case 12: {
      SUSURRUS_RETURN_IF_ERROR(reader.take(kGrowingBytes<OnnxValueInfo>));
      SUSURRUS_ASSIGN_OR_RETURN(OnnxValueInfo value, read_onnx_value(reader));
      graph.outputs.push_back(std::move(value));
      break;
    }
    default: break;
  }
  return ok_status();
}

Result<OnnxGraphMessage> read_graph(ProtoReader reader, uint32_t depth) {
  if (depth > kMostDepth) {
    return make_error(ErrorCode::limit_exceeded, ErrorReason::limit)
        .with_subject("graphs in graphs")
        .with_expected(kMostDepth);
  }
  OnnxGraphMessage graph;
  for (;;) {
    SUSURRUS_ASSIGN_OR_RETURN(const auto field, reader.next());
    if (!field) return graph;
    SUSURRUS_RETURN_IF_ERROR(
        read_graph_field(reader.within(*field), field->number, field->offset, depth, graph));
  }
}

/// One of them: the bits of a float, of a double, or an integer.
void store_typed(ElementType type, uint64_t field, uint64_t bits, void* data, size_t index) {
  if (field != 4 && field != 10) {
    if (type == ElementType::f32 || type == ElementType::f64) {
      store_number(type, static_cast<double>(static_cast<int64_t>(bits)), data, index);
    } else {
      narrow(type, &bits, 1, data, index);
    }
    return;
  }
  const double number = field == 4
                            ? static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits)))
                            : std::bit_cast<double>(bits);
  if (type == ElementType::f32 || type == ElementType::f64) {
    store_number(type, number, data, index);
  } else {
    const auto integer = static_cast<int64_t>(number);
    narrow(type, &integer, 1, data, index);
  }
}

/// float_data, int32_data, int64_data, double_data, uint64_data.
constexpr bool is_typed_list(uint64_t field) {
  return field == 4 || field == 5 || field == 7 || field == 10 || field == 11;
}

/// Visits the elements that stand as numbers in the file: the field that holds each, and its bits.
template <typename Visit>
Status visit_typed(const OnnxTensor& tensor, Visit&& visit) {
  return visit_fields(tensor.fields, [&](ProtoReader& reader, const ProtoField& field) -> Status {
    if (!is_typed_list(field.number)) return ok_status();
    if (field.kind != ProtoField::Kind::bytes) {
      visit(field, field.value);
      return ok_status();
    }
    if (field.number == 4 || field.number == 10) {
      const size_t size = field.number == 4 ? 4 : 8;
      if (field.bytes.size() % size != 0) return reader.bad(ErrorReason::size_mismatch);
      for (size_t at = 0; at < field.bytes.size(); at += size) {
        uint64_t bits = 0;
        std::memcpy(&bits, field.bytes.data() + at, size);
        visit(field, bits);
      }
      return ok_status();
    }
    for (ProtoReader packed = reader.within(field); !packed.at_end();) {
      SUSURRUS_ASSIGN_OR_RETURN(const uint64_t value, packed.varint());
      visit(field, value);
    }
    return ok_status();
  });
}

/// Elements that stand as numbers of another size in the file; halves as their bits. There are as many as `taken` has.
Status take_typed(const OnnxTensor& tensor, OwnedTensor& taken) {
  const Tensor to = taken.view();
  const ElementType type = to.type == ElementType::f16 ? ElementType::u16 : to.type;
  size_t index = 0;
  return visit_typed(tensor, [&](const ProtoField& field, uint64_t bits) {
    store_typed(type, field.number, bits, to.data, index++);
  });
}

}  // namespace

Result<OnnxTensor> read_onnx_tensor(ProtoReader reader, uint64_t offset) {
  OnnxTensor tensor;
  tensor.offset = offset;
  tensor.fields = reader;
  for (;;) {
    SUSURRUS_ASSIGN_OR_RETURN(const auto field, reader.next());
    if (!field) return tensor;
    switch (field->number) {
      case 1: {
        SUSURRUS_ASSIGN_OR_RETURN(tensor.shape, read_dims(reader, *field, tensor.shape));
        break;
      }
      case 2: tensor.data_type = field->value; break;
      case 8: tensor.name = field->text(); break;
      case 9:
        tensor.raw = field->bytes;
        tensor.has_raw = true;
        break;
      case 3:   // segment
      case 14:  // data_location: in another file
        if (field->number == 3 || field->value != 0) {
          return make_error(ErrorCode::unsupported_feature, ErrorReason::unsupported)
              .at(offset)
              .with_subject(tensor.name)
              .with_expected("elements in the file itself");
        }
        break;
      default: break;
    }
  }
}

Result<OnnxNode> read_onnx_node(ProtoReader reader, uint64_t offset) {
  return read_node(reader, offset, 0);
}

Status read_onnx_opset(ProtoReader reader, uint64_t& opset) {
  std::string_view domain;
  uint64_t version = 0;
  SUSURRUS_RETURN_IF_ERROR(
      visit_fields(reader, [&](ProtoReader&, const ProtoField& part) -> Status {
        if (part.number == 1) domain = part.text();
        if (part.number == 2) version = part.value;
        return ok_status();
      }));
  if (domain.empty() || domain == "ai.onnx") opset = version;
  return ok_status();
}

Result<ElementType> onnx_element_type(uint64_t data_type) {
  switch (data_type) {
    case 1: return ElementType::f32;
    case 2: return ElementType::u8;
    case 3: return ElementType::i8;
    case 4: return ElementType::u16;
    case 5: return ElementType::i16;
    case 6: return ElementType::i32;
    case 7: return ElementType::i64;
    case 9: return ElementType::boolean;
    case 10: return ElementType::f16;
    case 11: return ElementType::f64;
    case 12: return ElementType::u32;
    case 13: return ElementType::u64;
    default:
      return make_error(ErrorCode::unsupported_feature, ErrorReason::unsupported_dtype)
          .with_subject("data_type")
          .with_got(data_type);
  }
}

Status check_byte_count(const OnnxTensor& tensor, ElementType type, uint64_t found) {
  const auto count = tensor.shape.element_count();
  const auto wanted = count ? checked_multiply(*count, element_byte_count(type)) : std::nullopt;
  if (wanted == found) return ok_status();
  Error error = make_error(ErrorCode::malformed, ErrorReason::size_mismatch)
                    .at(tensor.offset)
                    .with_subject(tensor.name)
                    .with_got(found);
  return wanted ? std::move(error).with_expected(*wanted)
                : std::move(error).with_expected("a shape whose bytes can be counted");
}

Result<OwnedTensor> take_tensor(const OnnxTensor& tensor) {
  SUSURRUS_ASSIGN_OR_RETURN(const ElementType type, onnx_element_type(tensor.data_type));
  uint64_t found = tensor.raw.size();
  if (!tensor.has_raw) {
    found = 0;
    SUSURRUS_RETURN_IF_ERROR(visit_typed(
        tensor, [&](const ProtoField&, uint64_t) { found += element_byte_count(type); }));
  }
  SUSURRUS_RETURN_IF_ERROR(check_byte_count(tensor, type, found));
  SUSURRUS_ASSIGN_OR_RETURN(OwnedTensor taken,
                            OwnedTensor::allocate(type, tensor.shape, "weights"));
  if (!tensor.has_raw) {
    SUSURRUS_RETURN_IF_ERROR(take_typed(tensor, taken));
  } else if (!tensor.raw.empty()) {
    std::memcpy(taken.buffer.data(), tensor.raw.data(), tensor.raw.size());
  }
  return taken;
}

}  // namespace susurrus
