#include "graph/onnx/onnx_graph.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "graph/onnx/onnx_graph_reader.h"
#include "graph/onnx/onnx_translation.h"

namespace susurrus {
namespace {

/// What names the node in errors: `node 3 "conv1" (Conv)`.
std::string node_text(const OnnxNode& node, size_t index) {
  char digits[20];
  const auto end = std::to_chars(digits, digits + sizeof digits, index).ptr;
  std::string text("node ");
  text.append(digits, end);
  if (!node.name.empty()) text.append(" \"").append(node.name).append("\"");
  return text.append(" (").append(node.op_type).append(")");
}

}  // namespace

Result<ValueId> OnnxTranslation::value(std::string_view name) const {
  if (name.empty()) return kNoValue;
  const auto found = values_.find(name);
  if (found != values_.end()) return found->second.id;
  return make_error(ErrorCode::malformed, ErrorReason::model)
      .with_subject(name)
      .with_expected("a value that is there before it is used");
}

Status OnnxTranslation::add_initializer(const OnnxTensor& tensor) {
  auto taken = take_tensor(tensor);
  if (!taken) return taken.error();
  name(tensor.name, builder_.add_constant(std::string(tensor.name), std::move(*taken)), true);
  return status();
}

void OnnxTranslation::name(std::string_view name, ValueId id, bool is_weight) {
  const auto [at, is_new] = values_.try_emplace(std::string(name));
  if (is_new) {
    builder_.take(kNameBytes + name.size());
  } else if (at->second.branch == branch_) {
    if (is_weight) {
      at->second.id = id;
    } else if (name_twice_.empty()) {
      name_twice_ = name;
    }
    return;
  }
  if (branch_ != 0) {
    builder_.take(kGrowingBytes<Hidden>);
    hidden_.push_back({at, at->second});
  }
  at->second = {id, branch_};
}

Status OnnxTranslation::status() const {
  if (name_twice_.empty()) return builder_.status();
  return make_error(ErrorCode::malformed, ErrorReason::duplicate)
      .with_subject(name_twice_)
      .with_expected("each name once");
}

void OnnxTranslation::add_weight(const std::string& name, OwnedTensor tensor, bool is_turned) {
  const bool is_packed = tensor.is_packed();
  const ValueId id = builder_.add_constant(name, std::move(tensor));
  this->name(name, id, true);
  if (is_turned || is_packed) matrices_[id] = is_turned;
}

Result<std::vector<ValueId>> OnnxTranslation::add_branch(const OnnxGraphMessage& message) {
  const uint32_t around = std::exchange(branch_, ++branch_count_);
  const size_t hidden_before = hidden_.size();
  for (const OnnxTensor& tensor : message.initializers) {
    SUSURRUS_RETURN_IF_ERROR(add_initializer(tensor));
  }
  for (const OnnxNode& node : message.nodes) SUSURRUS_RETURN_IF_ERROR(add_node(node));
  std::vector<ValueId> outputs;
  for (const OnnxValueInfo& output : message.outputs) {
    SUSURRUS_ASSIGN_OR_RETURN(const ValueId id, value(output.name));
    outputs.push_back(id);
  }
  for (; hidden_.size() > hidden_before; hidden_.pop_back()) {
    const auto& [name, before] = hidden_.back();
    if (before.id == kNoValue) {
      values_.erase(name);
    } else {
      name->second = before;
    }
  }
  branch_ = around;
  return outputs;
}

Status OnnxTranslation::add_node(const OnnxNode& node) {
  builder_.at(node_text(node, node_count_++), node.offset);
  node_ = &node;
  inputs_.clear();
  for (std::string_view name : node.inputs) {
    auto id = value(name);
    if (!id) return builder_.placed(id.error());
    inputs_.push_back(*id);
  }
  const bool is_known_domain = node.domain.empty() || node.domain == "ai.onnx";
  const OnnxOperator* found = is_known_domain ? find_onnx_operator(node.op_type) : nullptr;
  if (found == nullptr) {
    return builder_.placed(make_error(ErrorCode::unsupported_operator, ErrorReason::unsupported)
                               .with_subject(node.op_type)
                               .with_expected("an operator that is run here"));
  }
  SUSURRUS_RETURN_IF_ERROR(found->translate(*this));
  return name_twice_.empty() ? builder_.status() : Status(builder_.placed(status().error()));
}

const OnnxAttribute* OnnxTranslation::attribute(std::string_view name) const {
  for (const OnnxAttribute& attribute : node_->attributes) {
    if (attribute.name == name) return &attribute;
  }
  return nullptr;
}

int64_t OnnxTranslation::integer(std::string_view name, int64_t usual) const {
  const OnnxAttribute* found = attribute(name);
  return found != nullptr && found->kind == OnnxAttribute::Kind::integer ? found->integer : usual;
}

double OnnxTranslation::number(std::string_view name, double usual) const {
  const OnnxAttribute* found = attribute(name);
  if (found == nullptr || found->kind != OnnxAttribute::Kind::number) return usual;
  return static_cast<double>(found->number);
}

std::vector<int64_t> OnnxTranslation::integers(std::string_view name) const {
  const OnnxAttribute* found = attribute(name);
  return found == nullptr ? std::vector<int64_t>() : found->integers;
}

std::string_view OnnxTranslation::text(std::string_view name, std::string_view usual) const {
  const OnnxAttribute* found = attribute(name);
  return found == nullptr ? usual : found->text;
}

Result<std::vector<int64_t>> OnnxTranslation::constant_integers(size_t index) const {
  if (!has_input(index)) return std::vector<int64_t>();
  const OwnedTensor* known = builder_.constant(input(index));
  if (known == nullptr || is_float(known->type))
    return wrong("input", "integers that are constant");
  const Tensor view{known->type, known->shape, const_cast<uint8_t*>(known->buffer.data())};
  std::vector<int64_t> values;
  with_number_type(known->type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<T>) {
      for (T value : view.as<T>()) values.push_back(static_cast<int64_t>(value));
    }
  });
  return values;
}

Result<std::vector<int64_t>> OnnxTranslation::integers_of(std::string_view attribute_name,
                                                          size_t index) const {
  if (attribute(attribute_name) != nullptr) return integers(attribute_name);
  return constant_integers(index);
}

Result<std::vector<double>> OnnxTranslation::constant_numbers(size_t index) const {
  std::vector<double> numbers;
  if (!has_input(index)) return numbers;
  const OwnedTensor* known = builder_.constant(input(index));
  if (known == nullptr) return wrong("input", "numbers that are constant");
  const Tensor view{known->type, known->shape, const_cast<uint8_t*>(known->buffer.data())};
  with_number_type(known->type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using Value = std::conditional_t<std::is_same_v<T, Half>, float, T>;
    for (T value : view.as<T>()) numbers.push_back(static_cast<double>(static_cast<Value>(value)));
  });
  return numbers;
}

Result<double> OnnxTranslation::constant_number(size_t index, double usual) const {
  if (!has_input(index)) return usual;
  SUSURRUS_ASSIGN_OR_RETURN(const std::vector<double> numbers, constant_numbers(index));
  if (numbers.size() != 1) return wrong("input", "a constant number");
  return numbers[0];
}

Result<ValueId> OnnxTranslation::add(std::string_view op, std::initializer_list<ValueId> inputs,
                                     std::initializer_list<Attribute> attributes,
                                     size_t output_count) {
  return builder_.add(op, {inputs.begin(), inputs.size()}, {attributes.begin(), attributes.size()},
                      output_count);
}

void OnnxTranslation::set_output(size_t index, ValueId id) {
  if (index < node_->outputs.size() && !node_->outputs[index].empty()) {
    name(node_->outputs[index], id);
  }
}

Error OnnxTranslation::wrong(std::string_view what, std::string_view expected) const {
  return builder_.placed(make_error(ErrorCode::unsupported_feature, ErrorReason::unsupported)
                             .with_subject(what)
                             .with_expected(expected));
}

Status OnnxTranslation::add_input(const OnnxValueInfo& input,
                                  std::span<const OnnxFixedInput> fixed) {
  // Old files list their weights among the inputs.
  const auto known = values_.find(input.name);
  if (known != values_.end() && builder_.constant(known->second.id) != nullptr) return ok_status();
  if (known != values_.end() && is_matrix(known->second.id)) return ok_status();
  const auto is_named = [&](const OnnxFixedInput& one) { return one.name == input.name; };
  const auto value = std::ranges::find_if(fixed, is_named);
  SUSURRUS_ASSIGN_OR_RETURN(const ElementType type, onnx_element_type(input.element_type));
  if (value != fixed.end() && value->value) {
    SUSURRUS_ASSIGN_OR_RETURN(OwnedTensor tensor,
                              OwnedTensor::allocate(ElementType::i64, {}, "constants"));
    tensor.view().as<int64_t>()[0] = *value->value;
    name(input.name, builder_.add_constant(std::string(input.name), std::move(tensor)));
    return status();
  }
  std::optional<Shape> shape;
  if (value != fixed.end()) {
    shape = value->shape;
  } else if (input.has_shape) {
    if (input.dims.size() > limits::kMaxDims) {
      return make_error(ErrorCode::limit_exceeded, ErrorReason::bad_shape).with_subject(input.name);
    }
    shape.emplace();
    for (int64_t dim : input.dims) shape->append(dim < 0 ? kAnyDim : static_cast<uint64_t>(dim));
  }
  name(input.name, builder_.add_input(std::string(input.name), type, shape));
  return status();
}

Status OnnxTranslation::add_output(const OnnxValueInfo& output) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId id, value(output.name));
  if (id == kNoValue) {
    return make_error(ErrorCode::malformed, ErrorReason::model)
        .with_subject("outputs")
        .with_expected("a name for each");
  }
  if (is_matrix(id)) {
    return make_error(ErrorCode::unsupported_feature, ErrorReason::unsupported)
        .with_subject(output.name)
        .with_expected("outputs that are no matrix of a product");
  }
  // An input stays one of its own name where it is an output too.
  if (std::string& own = builder_.value(id).name; own.empty()) own = output.name;
  builder_.take(kNameBytes + 2 * output.name.size());
  outputs_.push_back(id);
  output_names_.emplace_back(output.name);
  return status();
}

Result<Graph> OnnxTranslation::finish(const WeightOptions& weights) {
  builder_.name_outputs(std::move(output_names_));
  return builder_.finish(std::move(outputs_), weights);
}

Result<Graph> graph_from_onnx(const char* subject, ByteSpan bytes, uint64_t offset,
                              std::span<const OnnxFixedInput> fixed, const WeightOptions& weights) {
  OnnxGraphReader reader(subject, offset, bytes.size(), weights);
  SUSURRUS_RETURN_IF_ERROR(reader.push(bytes));
  return reader.finish(fixed);
}

}  // namespace susurrus
