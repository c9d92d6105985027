#include <cstring>

#include "graph/graph.h"
#include "graph/product_weights.h"

namespace susurrus {
namespace {

/// What is made of larger constants is made in each run, and not kept beside them.
constexpr uint64_t kMostFoldedBytes = 64 << 20;

/// Whether the outputs follow from what is known.
bool can_fold(const Operator& op, std::span<const Operand> operands) {
  if (op.reads_shapes_alone) return true;
  uint64_t byte_count = 0;
  for (const Operand& operand : operands) {
    if (!operand.is_present) continue;
    const uint64_t own = *operand.shape.element_count() * element_byte_count(operand.type);
    if (operand.constant == nullptr && own > 0) return false;
    byte_count += own;
  }
  return byte_count <= kMostFoldedBytes;
}

}  // namespace

void GraphBuilder::set_status(const Status& status) {
  is_within_ = status.has_value();
  if (!is_within_) over_ = status.error();
}

ValueId GraphBuilder::add_value(GraphValue value) {
  take(kGrowingBytes<GraphValue> + value.name.size());
  graph_.values.push_back(std::move(value));
  return static_cast<ValueId>(graph_.values.size() - 1);
}

uint64_t constant_byte_count(const Graph& graph) {
  uint64_t sum = 0;
  for (const OwnedTensor& tensor : graph.constants) sum += tensor.buffer.byte_count();
  return sum;
}

ValueId GraphBuilder::add_input(std::string name, ElementType type, std::optional<Shape> shape) {
  GraphValue value;
  value.name = std::move(name);
  value.type = type;
  value.shape = shape;
  const ValueId id = add_value(std::move(value));
  graph_.inputs.push_back(id);
  return id;
}

ValueId GraphBuilder::add_constant(std::string name, OwnedTensor tensor) {
  GraphValue value;
  value.name = std::move(name);
  value.type = tensor.type;
  value.shape = tensor.shape;
  value.constant = static_cast<uint32_t>(graph_.constants.size());
  // An allocation has its own bytes before and after it.
  take(kGrowingBytes<OwnedTensor> + 2 * kBufferAlignment);
  graph_.constants.push_back(std::move(tensor));
  return add_value(std::move(value));
}

Result<ValueId> GraphBuilder::add_integers(std::string name, std::span<const int64_t> values) {
  SUSURRUS_ASSIGN_OR_RETURN(OwnedTensor tensor,
                            OwnedTensor::allocate(ElementType::i64, {values.size()}, "constants"));
  if (!values.empty()) std::memcpy(tensor.buffer.data(), values.data(), values.size_bytes());
  return add_constant(std::move(name), std::move(tensor));
}

void GraphBuilder::at(std::string node_name, uint64_t file_offset, uint32_t file_node) {
  node_name_ = std::move(node_name);
  file_offset_ = file_offset;
  file_node_ = file_node;
}

Error GraphBuilder::placed(const Error& error) const {
  Error placed = error;
  if (placed.offset == kNoOffset) placed.offset = file_offset_;
  FixedString<120> subject;
  subject.append(node_name_);
  if (!error.subject.view().empty()) {
    subject.append(": ");
    subject.append(error.subject.view());
  }
  placed.subject = subject;
  return placed;
}

Result<ValueId> GraphBuilder::add(std::string_view op, std::span<const ValueId> inputs,
                                  std::span<const Attribute> attributes, size_t output_count) {
  SUSURRUS_RETURN_IF_ERROR(status());
  const Operator* found = find_operator(op);
  if (found == nullptr) {
    return placed(make_error(ErrorCode::unsupported_operator, ErrorReason::unsupported)
                      .with_subject(op)
                      .with_expected("an operator that is run here"));
  }
  const auto fits = [](size_t count, uint8_t least, uint8_t most) {
    return count >= least && (most == kAnyNumber || count <= most);
  };
  if (!fits(inputs.size(), found->least_inputs, found->most_inputs) ||
      !fits(output_count, found->least_outputs, found->most_outputs)) {
    return placed(make_error(ErrorCode::malformed, ErrorReason::size_mismatch)
                      .with_subject(found->name)
                      .with_expected("another number of inputs or outputs"));
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] < graph_.values.size()) {
      const uint32_t index = graph_.values[inputs[i]].constant;
      if (index == kNoValue || !graph_.constants[index].is_packed() ||
          (i < 8 && (found->packed_inputs >> i & 1) != 0)) {
        continue;
      }
      return placed(wrong_input(i, "a value that is no packed matrix"));
    }
    if (inputs[i] == kNoValue && i >= found->least_inputs) continue;
    return placed(wrong_input(i, "a value"));
  }
  auto matched = Attributes::match(found->attributes, attributes);
  if (!matched) return placed(matched.error());
  GraphNode node;
  node.op = found;
  node.name = node_name_;
  node.inputs.assign(inputs.begin(), inputs.end());
  node.attributes = std::move(*matched);
  node.file_offset = file_offset_;
  node.file_node = file_node_;
  std::vector<Inference::Output> outputs(output_count);
  const auto operands = known_operands(inputs);
  if (operands) {
    // What a file declares of its inputs was not counted yet.
    for (const Operand& operand : *operands) {
      if (!operand.is_present) continue;
      const Status fits = check_size(operand.type, operand.shape, "input");
      if (!fits) return placed(fits.error());
    }
    const bool is_known = can_fold(*found, *operands);
    Inference inference{*operands, node.attributes, outputs, {}};
    Status status = found->infer(inference);
    for (size_t i = 0; status && i < output_count; ++i) {
      status = check_size(outputs[i].type, outputs[i].shape);
    }
    if (!status) {
      // What is wanted of a value may follow only when the graph runs; the plan tells.
      if (is_known || status.error().code == ErrorCode::limit_exceeded) {
        return placed(status.error());
      }
      outputs.clear();
    } else if (is_known && folding_.take(outputs, inference.work)) {
      auto results = run_once(*found, *operands, node.attributes, output_count);
      if (!results) return placed(results.error());
      const auto first = static_cast<ValueId>(graph_.values.size());
      for (OwnedTensor& result : *results) add_constant({}, std::move(result));
      return first;
    }
  }
  const auto first = static_cast<ValueId>(graph_.values.size());
  for (size_t i = 0; i < output_count; ++i) {
    GraphValue value;
    value.node = static_cast<uint32_t>(graph_.nodes.size());
    if (operands && !outputs.empty()) {
      value.type = outputs[i].type;
      value.shape = outputs[i].shape;
    }
    node.outputs.push_back(add_value(std::move(value)));
  }
  take(kGrowingBytes<GraphNode> + node.name.size() +
       sizeof(ValueId) * (inputs.size() + output_count) +
       sizeof(AttributeValue) * found->attributes.size());
  graph_.nodes.push_back(std::move(node));
  return first;
}

std::optional<std::vector<Operand>> GraphBuilder::known_operands(
    std::span<const ValueId> inputs) const {
  std::vector<Operand> operands;
  for (ValueId id : inputs) {
    Operand operand;
    operand.is_present = id != kNoValue;
    if (operand.is_present) {
      const GraphValue& value = graph_.values[id];
      if (!value.shape) return std::nullopt;
      for (uint64_t dim : value.shape->dims()) {
        if (dim == kAnyDim) return std::nullopt;
      }
      operand.type = value.type;
      operand.shape = *value.shape;
      if (value.constant != kNoValue) {
        const Tensor known = graph_.constants[value.constant].view();
        operand.constant = known.data;
        operand.packed = known.packed;
      }
    }
    operands.push_back(operand);
  }
  return operands;
}

const OwnedTensor* GraphBuilder::constant(ValueId id) const {
  if (id >= graph_.values.size()) return nullptr;
  const uint32_t index = graph_.values[id].constant;
  if (index == kNoValue || graph_.constants[index].is_packed()) return nullptr;
  return &graph_.constants[index];
}

Result<Graph> GraphBuilder::finish(std::vector<ValueId> outputs, const WeightOptions& weights) {
  bool are_values = !outputs.empty();
  for (ValueId id : outputs) are_values = are_values && id < graph_.values.size();
  if (!are_values) {
    return make_error(ErrorCode::malformed, ErrorReason::model)
        .with_subject("outputs")
        .with_expected("at least one, each a value of the graph");
  }
  graph_.outputs = std::move(outputs);
  SUSURRUS_RETURN_IF_ERROR(prepare_product_weights(graph_, weights));
  return std::move(graph_);
}

}  // namespace susurrus
