#include <algorithm>

#include "container/tennis/tennis_writer.h"
#include "convert/compose/description_values.h"
#include "convert/compose/file_parts.h"

namespace susurrus {
namespace {

constexpr uint8_t kMostDtypes = 33;

std::optional<TennisDtype> find_tennis_dtype(std::string_view name) {
  for (uint8_t number = 0; number < kMostDtypes; ++number) {
    const auto dtype = tennis_dtype_from_number(static_cast<int8_t>(number));
    if (dtype && tennis_dtype_name(*dtype) == name) return dtype;
  }
  return std::nullopt;
}

struct Field {
  TennisTensor tensor;
  /// Set for texts and for tensors on which the graph depends; the others are parts.
  std::optional<std::string> bytes;
};
struct Parameter {
  std::string name;
  std::vector<Field> fields;
};
struct Node {
  std::vector<Parameter> parameters;
  std::vector<uint32_t> arguments;
};

class TennisParts : public PartsWriter {
 public:
  Status plan(JsonValue description);
  Rehearsal rehearsal() const override { return Rehearsal::whole; }
  Status open() override {
    writer_.reset();
    return ok_status();
  }
  std::optional<uint64_t> file_byte_count() const override { return std::nullopt; }
  Status begin(ByteSink& sink) override {
    at_ = {};
    writer_ = std::make_unique<TennisWriter>(sink);
    SUSURRUS_RETURN_IF_ERROR(writer_->on_header(header_));
    SUSURRUS_RETURN_IF_ERROR(
        writer_->on_module(inputs_, outputs_, static_cast<uint32_t>(nodes_.size())));
    return write_to_part();
  }
  Status write(ByteSpan stored, ByteSink&) override {
    return stored.empty() ? ok_status() : writer_->on_tensor_bytes(stored);
  }
  Status finish_part(ByteSink&) override { return write_to_part(); }
  Status finish(ByteSink&) override { return writer_->finish(); }

 private:
  Status add_node(JsonValue description);
  Status add_field(JsonValue description, const std::string& name, Parameter& parameter);
  Status write_to_part();

  TennisHeader header_;
  std::vector<uint32_t> inputs_;
  std::vector<uint32_t> outputs_;
  std::vector<Node> nodes_;
  std::unique_ptr<TennisWriter> writer_;
  /// What is written next.
  struct Place {
    size_t node = 0;
    size_t parameter = 0;
    size_t field = 0;
    bool in_node = false;
    bool in_parameter = false;
  } at_;
};

Status read_nodes(JsonValue list, const char* subject, std::vector<uint32_t>& nodes) {
  for (const JsonValue item : list.items()) {
    SUSURRUS_ASSIGN_OR_RETURN(const int64_t node, integer_between(item, 0, INT32_MAX, subject));
    nodes.push_back(static_cast<uint32_t>(node));
  }
  return ok_status();
}

Status TennisParts::plan(JsonValue description) {
  SUSURRUS_ASSIGN_OR_RETURN(const int64_t reserved, integer_between(description["reservedWord"], 0,
                                                                    ~uint32_t{0}, "reservedWord"));
  header_.reserved_word = static_cast<uint32_t>(reserved);
  SUSURRUS_ASSIGN_OR_RETURN(const std::string user,
                            byte_string(description["userBytes"], "userBytes"));
  if (user.size() > header_.user_bytes.size()) {
    return wrong_description("userBytes").with_expected("at most 120 bytes").with_got(user.size());
  }
  std::copy(user.begin(), user.end(), header_.user_bytes.begin());
  SUSURRUS_RETURN_IF_ERROR(read_nodes(description["inputs"], "inputs", inputs_));
  SUSURRUS_RETURN_IF_ERROR(read_nodes(description["outputs"], "outputs", outputs_));
  for (const JsonValue node : description["nodes"].items())
    SUSURRUS_RETURN_IF_ERROR(add_node(node));
  return ok_status();
}

Status TennisParts::add_node(JsonValue description) {
  Node node;
  const std::string name = "node " + std::to_string(nodes_.size());
  SUSURRUS_RETURN_IF_ERROR(read_nodes(description["inputs"], name.c_str(), node.arguments));
  for (const JsonValue parameter : description["parameters"].items()) {
    Parameter added;
    SUSURRUS_ASSIGN_OR_RETURN(added.name, byte_string(parameter["name"], name));
    for (const JsonValue field : parameter["fields"].items()) {
      SUSURRUS_RETURN_IF_ERROR(add_field(field, name + " " + added.name, added));
    }
    node.parameters.push_back(std::move(added));
  }
  nodes_.push_back(std::move(node));
  return ok_status();
}

Status TennisParts::add_field(JsonValue description, const std::string& name,
                              Parameter& parameter) {
  const auto type = description["dtype"].text().value_or("");
  const auto dtype = find_tennis_dtype(type);
  if (!dtype) {
    return make_error(ErrorCode::invalid_argument, ErrorReason::unsupported_dtype)
        .with_subject(name)
        .with_expected("a dtype as inspection names them")
        .with_got(type);
  }
  Field field;
  field.tensor.dtype = *dtype;
  SUSURRUS_ASSIGN_OR_RETURN(field.tensor.shape,
                            shape_of(description["shape"], limits::kMaxDims, name));
  const auto byte_count = tennis_tensor_byte_count(*dtype, field.tensor.shape);
  if (!byte_count) {
    return make_error(ErrorCode::invalid_argument, ErrorReason::bad_shape).with_subject(name);
  }
  if (const JsonValue bytes = description["bytes"]; bytes.exists()) {
    SUSURRUS_ASSIGN_OR_RETURN(field.bytes, byte_string(bytes, name));
    if (field.bytes->size() != *byte_count) {
      return make_error(ErrorCode::invalid_argument, ErrorReason::size_mismatch)
          .with_subject(name)
          .with_expected(std::to_string(*byte_count) + " bytes")
          .with_got(field.bytes->size());
    }
  } else {
    FilePart part;
    part.name = name;
    part.dtype = tennis_dtype_name(*dtype);
    if (*dtype == TennisDtype::f32) part.weights = Dtype::f32;
    if (*dtype == TennisDtype::f16) part.weights = Dtype::f16;
    part.element_count = field.tensor.shape.element_count().value_or(0);
    part.byte_count = part.stored_byte_count = *byte_count;
    parts_.push_back(std::move(part));
  }
  parameter.fields.push_back(std::move(field));
  return ok_status();
}

/// Writes on until the bytes of a part are next, or the last node has ended.
Status TennisParts::write_to_part() {
  for (; at_.node < nodes_.size(); at_ = {at_.node + 1}) {
    const Node& node = nodes_[at_.node];
    if (!at_.in_node) {
      SUSURRUS_RETURN_IF_ERROR(writer_->on_node(static_cast<uint32_t>(node.parameters.size())));
      at_.in_node = true;
    }
    for (; at_.parameter < node.parameters.size();
         at_ = {at_.node, at_.parameter + 1, 0, true, false}) {
      const Parameter& parameter = node.parameters[at_.parameter];
      if (!at_.in_parameter) {
        SUSURRUS_RETURN_IF_ERROR(
            writer_->on_parameter(parameter.name, static_cast<uint32_t>(parameter.fields.size())));
        at_.in_parameter = true;
      }
      while (at_.field < parameter.fields.size()) {
        const Field& field = parameter.fields[at_.field++];
        SUSURRUS_RETURN_IF_ERROR(writer_->on_tensor(field.tensor));
        if (!field.bytes) return ok_status();
        if (!field.bytes->empty()) {
          SUSURRUS_RETURN_IF_ERROR(writer_->on_tensor_bytes(as_bytes(*field.bytes)));
        }
      }
    }
    SUSURRUS_RETURN_IF_ERROR(writer_->on_node_end(node.arguments));
  }
  return ok_status();
}

}  // namespace

PlannedParts plan_tennis_parts(JsonValue description) {
  auto parts = std::make_unique<TennisParts>();
  SUSURRUS_RETURN_IF_ERROR(parts->plan(description));
  return std::unique_ptr<PartsWriter>(std::move(parts));
}

}  // namespace susurrus
