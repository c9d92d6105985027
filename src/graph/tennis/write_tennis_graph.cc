#include "graph/tennis/write_tennis_graph.h"

#include <algorithm>
#include <cmath>

#include "graph/tennis/tennis_nodes.h"
#include "graph/tennis/tennis_weights.h"

namespace susurrus {
namespace {

/// Primitives that TenniS has under a name of its own, with the same arguments and no attributes.
struct SameOperator {
  std::string_view primitive;
  std::string_view tennis;
};
constexpr SameOperator kSameOperators[] = {
    {"relu", "relu"},    {"sigmoid", "sigmoid"}, {"tanh", "tanh"},       {"exp", "exp"},
    {"sqrt", "sqrt"},    {"abs", "abs"},         {"square", "square"},   {"floor", "floor"},
    {"ceil", "ceil"},    {"erf", "erf"},         {"add", "add"},         {"subtract", "sub"},
    {"multiply", "mul"}, {"divide", "div"},      {"maximum", "maximum"},
};

using Parameter = WrittenParameter;

class GraphWriter {
 public:
  GraphWriter(const Graph& graph, TennisWeights weights)
      : graph_(graph), weights_(weights), places_(graph.values.size(), kNoValue) {}

  Status translate();
  Status write(ByteSink& sink) const { return nodes_.write(inputs_, outputs_, sink); }

 private:
  Error unsupported(ErrorCode code, std::string_view what) const;
  Status check_known(ValueId id) const;
  const Shape& shape(ValueId id) const { return *graph_.values[id].shape; }
  ValueId output(size_t index = 0) const { return node_->outputs[index]; }

  // Attributes of the current node.
  size_t attribute(std::string_view name) const;
  int64_t number(std::string_view name) const { return node_->attributes.integer(attribute(name)); }
  std::span<const int64_t> numbers(std::string_view name) const {
    return node_->attributes.integers(attribute(name));
  }
  /// An input that has to be a constant of integers.
  Result<std::vector<int64_t>> known(size_t input) const;

  /// Adds a TenniS node for the current node, named after it.
  uint32_t add(std::string_view op, std::vector<uint32_t> arguments,
               std::vector<Parameter> parameters = {}) {
    return nodes_.add(op, node_->name, std::move(arguments), std::move(parameters));
  }
  uint32_t add_constant(Parameter value, std::string_view name);
  uint32_t reshape(uint32_t from, std::span<const uint64_t> dims);
  /// The TenniS node that gives a value.
  uint32_t place(ValueId id);
  uint32_t input(size_t index) { return place(node_->inputs[index]); }
  void set(uint32_t node, size_t index = 0) { places_[output(index)] = node; }

  void add_inputs();
  Status add_node();
  Status add_matmul();
  Status add_power();
  Status add_pad();
  Status add_slice();
  Status add_reduce_mean();
  Status add_convolution();
  Status add_lstm();

  const Graph& graph_;
  TennisWeights weights_;
  const GraphNode* node_ = nullptr;
  std::vector<uint32_t> places_;  // of each value, or kNoValue
  TennisNodes nodes_;
  std::vector<uint32_t> inputs_;
  std::vector<uint32_t> outputs_;
};

Error GraphWriter::unsupported(ErrorCode code, std::string_view what) const {
  FixedString<120> subject;
  subject.append(node_->name);
  subject.append(": ");
  subject.append(what);
  return make_error(code, ErrorReason::unsupported)
      .with_subject(subject.view())
      .with_expected("what a TenniS module can say");
}

Status GraphWriter::check_known(ValueId id) const {
  const auto& shape = graph_.values[id].shape;
  bool is_known = shape.has_value();
  if (is_known) {
    for (const uint64_t dim : shape->dims()) is_known = is_known && dim <= INT32_MAX;
  }
  if (is_known) return ok_status();
  return make_error(ErrorCode::invalid_argument, ErrorReason::bad_shape)
      .with_subject(graph_.values[id].name)
      .with_expected("a shape that is known");
}

size_t GraphWriter::attribute(std::string_view name) const {
  const auto found = std::ranges::find(node_->op->attributes, name, &AttributeSpec::name);
  SUSURRUS_CHECK(found != node_->op->attributes.end());
  return static_cast<size_t>(found - node_->op->attributes.begin());
}

Result<std::vector<int64_t>> GraphWriter::known(size_t index) const {
  const uint32_t constant = graph_.values[node_->inputs[index]].constant;
  if (constant == kNoValue) return unsupported(ErrorCode::unsupported_feature, "its input");
  const OwnedTensor& tensor = graph_.constants[constant];
  if (tensor.type != ElementType::i64) {
    return unsupported(ErrorCode::unsupported_feature, "its input");
  }
  const auto* values = reinterpret_cast<const int64_t*>(tensor.buffer.data());
  return std::vector<int64_t>(values, values + *tensor.shape.element_count());
}

uint32_t GraphWriter::add_constant(Parameter value, std::string_view name) {
  return nodes_.add("<const>", name, {}, {std::move(value)});
}

uint32_t GraphWriter::reshape(uint32_t from, std::span<const uint64_t> dims) {
  std::vector<int64_t> shape(dims.begin(), dims.end());
  return add("_reshape", {from}, {Parameter::list("shape", shape)});
}

uint32_t GraphWriter::place(ValueId id) {
  if (places_[id] != kNoValue) return places_[id];
  // A node's outputs have their places already. The rest are constants, written where they are
  // first used.
  const GraphValue& value = graph_.values[id];
  const OwnedTensor& tensor = graph_.constants[value.constant];
  const uint64_t count = *tensor.shape.element_count();
  Parameter parameter{"value", tennis_dtype(tensor.type), tensor.shape, {}};
  const bool is_weight = tensor.type == ElementType::f32 && count >= kWeightElements;
  if (is_weight && weights_ == TennisWeights::packed) {
    const bool is_fine = node_ == nullptr || node_->op->name != "lstm";
    return places_[id] = add_packed_weights(nodes_, value.name, tensor, is_fine);
  }
  parameter.append(tensor.buffer.data(),
                   static_cast<size_t>(count) * element_byte_count(tensor.type));
  return places_[id] = add_constant(std::move(parameter), value.name);
}

void GraphWriter::add_inputs() {
  for (const ValueId id : graph_.inputs) {
    const GraphValue& value = graph_.values[id];
    const std::vector<int64_t> dims(value.shape->dims().begin(), value.shape->dims().end());
    places_[id] =
        nodes_.add("<param>", value.name, {},
                   {Parameter::list("#shape", dims),
                    Parameter::integer("#dtype", static_cast<int64_t>(tennis_dtype(value.type)))});
    inputs_.push_back(places_[id]);
  }
}

Status GraphWriter::translate() {
  for (const ValueId id : graph_.inputs) SUSURRUS_RETURN_IF_ERROR(check_known(id));
  for (const OwnedTensor& tensor : graph_.constants) {
    if (!tensor.is_packed()) continue;
    return make_error(ErrorCode::invalid_argument, ErrorReason::unsupported_dtype)
        .with_subject("weights")
        .with_expected("f32");
  }
  add_inputs();
  for (const GraphNode& node : graph_.nodes) {
    node_ = &node;
    for (const ValueId id : node.outputs) SUSURRUS_RETURN_IF_ERROR(check_known(id));
    SUSURRUS_RETURN_IF_ERROR(add_node());
  }
  for (const ValueId id : graph_.outputs) outputs_.push_back(place(id));
  return ok_status();
}

Status GraphWriter::add_node() {
  const std::string_view op = node_->op->name;
  if (node_->op->sharing == Sharing::view) {
    set(reshape(input(0), shape(output()).dims()));
    return ok_status();
  }
  if (const auto same = std::ranges::find(kSameOperators, op, &SameOperator::primitive);
      same != std::end(kSameOperators)) {
    std::vector<uint32_t> arguments;
    for (size_t i = 0; i < node_->inputs.size(); ++i) arguments.push_back(input(i));
    set(add(same->tennis, std::move(arguments)));
    return ok_status();
  }
  if (op == "cast" && graph_.values[node_->inputs[0]].type == graph_.values[output()].type) {
    set(input(0));
    return ok_status();
  }
  if (op == "matmul") return add_matmul();
  if (op == "gather") {
    set(add("gather", {input(0), input(1)}, {Parameter::integer("axis", number("axis"))}));
    return ok_status();
  }
  if (op == "concat") {
    std::vector<uint32_t> arguments;
    for (size_t i = 0; i < node_->inputs.size(); ++i) arguments.push_back(input(i));
    set(add("concat", std::move(arguments), {Parameter::integer("dim", number("axis"))}));
    return ok_status();
  }
  if (op == "power") return add_power();
  if (op == "pad") return add_pad();
  if (op == "slice") return add_slice();
  if (op == "reduce_mean") return add_reduce_mean();
  if (op == "convolution") return add_convolution();
  if (op == "lstm") return add_lstm();
  return unsupported(ErrorCode::unsupported_operator, op);
}

/// Constant matrices are kept turned; TenniS has that for rows alone.
Status GraphWriter::add_matmul() {
  if (number("is_transposed") == 0) {
    set(add("matmul", {input(0), input(1)}));
    return ok_status();
  }
  const Shape& x = shape(node_->inputs[0]);
  const uint64_t inner = shape(node_->inputs[1])[1];
  const uint64_t count = *x.element_count();
  uint32_t rows = input(0);
  if (x.rank() != 2) {
    const uint64_t dims[] = {inner == 0 ? 0 : count / inner, inner};
    rows = reshape(rows, dims);
  }
  const uint32_t made = add("inner_prod", {rows, input(1)}, {Parameter::integer("transpose", 1)});
  set(x.rank() == 2 ? made : reshape(made, shape(output()).dims()));
  return ok_status();
}

/// A constant exponent; squares are multiplied, which is exact.
Status GraphWriter::add_power() {
  const GraphValue& exponent = graph_.values[node_->inputs[1]];
  if (exponent.constant == kNoValue || exponent.type != ElementType::f32 ||
      exponent.shape->element_count() != 1) {
    return unsupported(ErrorCode::unsupported_feature, "an exponent that is no constant f32");
  }
  const auto& bytes = graph_.constants[exponent.constant].buffer;
  if (*reinterpret_cast<const float*>(bytes.data()) == 2) {
    set(add("square", {input(0)}));
    return ok_status();
  }
  Parameter value{"y", TennisDtype::f32, {}, {}};
  value.append(bytes.data(), sizeof(float));
  set(add("pow", {input(0)}, {std::move(value)}));
  return ok_status();
}

/// TenniS pads with a constant alone: what is mirrored or repeated along one dimension is gathered.
Status GraphWriter::add_pad() {
  const Shape& x = shape(node_->inputs[0]);
  const auto pads = numbers("pads");
  const int64_t mode = number("mode");
  if (mode == 0) {
    if (node_->inputs.size() > 1 && node_->inputs[1] != kNoValue) {
      return unsupported(ErrorCode::unsupported_feature, "what it pads with");
    }
    std::vector<int64_t> pairs;
    for (uint32_t i = 0; i < x.rank(); ++i) {
      pairs.push_back(pads[i]);
      pairs.push_back(pads[x.rank() + i]);
    }
    set(add("pad", {input(0), add_constant(Parameter::integers("value", pairs, {x.rank(), 2}),
                                           node_->name)}));
    return ok_status();
  }
  uint32_t result = input(0);
  for (uint32_t axis = 0; axis < x.rank(); ++axis) {
    const int64_t before = pads[axis];
    const auto size = static_cast<int64_t>(x[axis]);
    const int64_t end = size + pads[x.rank() + axis];
    if (before == 0 && end == size) continue;
    std::vector<int64_t> indices;
    for (int64_t i = -before; i < end; ++i) {
      int64_t index = mode == 2 ? std::clamp<int64_t>(i, 0, size - 1) : std::abs(i);
      if (index >= size) index = 2 * (size - 1) - index;
      indices.push_back(index);
    }
    result = add("gather", {result, add_constant(Parameter::list("value", indices), node_->name)},
                 {Parameter::integer("axis", axis)});
  }
  set(result);
  return ok_status();
}

/// Inputs: x, begins, ends, axes, steps.
Status GraphWriter::add_slice() {
  const Shape& x = shape(node_->inputs[0]);
  std::vector<std::vector<int64_t>> lists(5);
  for (size_t i = 1; i < node_->inputs.size(); ++i) {
    if (node_->inputs[i] == kNoValue) continue;
    SUSURRUS_ASSIGN_OR_RETURN(lists[i], known(i));
  }
  const auto& begins = lists[1];
  const auto& axes = lists[3];
  const auto& steps = lists[4];
  const Shape& y = shape(output());
  std::vector<int64_t> begin(x.rank());
  for (size_t i = 0; i < begins.size(); ++i) {
    if (i < steps.size() && steps[i] != 1) {
      return unsupported(ErrorCode::unsupported_feature, "steps");
    }
    const int64_t named = i < axes.size() ? axes[i] : static_cast<int64_t>(i);
    const auto axis = static_cast<uint32_t>(named < 0 ? named + x.rank() : named);
    const auto size = static_cast<int64_t>(x[axis]);
    begin[axis] = std::clamp<int64_t>(begins[i] < 0 ? begins[i] + size : begins[i], 0, size);
  }
  if (y == x) {
    set(input(0));
    return ok_status();
  }
  const std::vector<int64_t> size(y.dims().begin(), y.dims().end());
  set(add("slice", {input(0)}, {Parameter::list("begin", begin), Parameter::list("size", size)}));
  return ok_status();
}

Status GraphWriter::add_reduce_mean() {
  const int64_t rank = shape(node_->inputs[0]).rank();
  std::vector<int64_t> axes(numbers("axes").begin(), numbers("axes").end());
  if (axes.empty()) {
    for (int64_t axis = 0; axis < rank; ++axis) axes.push_back(axis);
  }
  for (int64_t& axis : axes) axis += axis < 0 ? rank : 0;
  std::ranges::sort(axes);
  for (size_t i = 1; i < axes.size(); ++i) {
    if (axes[i] != axes[i - 1] + 1) {
      return unsupported(ErrorCode::unsupported_feature, "dimensions apart from each other");
    }
  }
  set(add("reduce_mean", {input(0)},
          {Parameter::list("dims", axes), Parameter::integer("keep_dims", number("keep_dims"))}));
  return ok_status();
}

/// Over one dimension or two. TenniS has images alone: what has one dimension is an image of one row.
Status GraphWriter::add_convolution() {
  const Shape& x = shape(node_->inputs[0]);
  const Shape& w = shape(node_->inputs[1]);
  const uint32_t spatial = x.rank() - 2;
  const int64_t groups = number("groups");
  const bool is_depthwise = groups > 1 && static_cast<uint64_t>(groups) == x[1] && w[0] == x[1];
  if (spatial < 1 || spatial > 2 || (groups != 1 && !is_depthwise) || number("auto_pad") != 0) {
    return unsupported(ErrorCode::unsupported_feature, "its dimensions, groups or padding");
  }
  const auto or_ones = [&](std::string_view name) {
    std::vector<int64_t> values(4, 1);
    std::ranges::copy(numbers(name), values.end() - static_cast<ptrdiff_t>(numbers(name).size()));
    return values;
  };
  std::vector<int64_t> padding(8);
  const auto pads = numbers("pads");
  for (uint32_t i = 0; i < spatial && !pads.empty(); ++i) {
    padding[2 * (4 - spatial + i)] = pads[i];
    padding[2 * (4 - spatial + i) + 1] = pads[spatial + i];
  }
  uint32_t from = input(0);
  uint32_t weights = input(1);
  if (spatial == 1) {
    const uint64_t dims[] = {x[0], x[1], 1, x[2]};
    from = reshape(from, dims);
  }
  if (spatial == 1 || is_depthwise) {
    const uint64_t height = spatial == 1 ? 1 : w[2];
    const uint64_t dims[] = {is_depthwise ? 1 : w[0], is_depthwise ? w[0] : w[1], height,
                             w[w.rank() - 1]};
    weights = reshape(weights, dims);
  }
  const uint32_t made =
      add(is_depthwise ? "depthwise_conv2d" : "conv2d", {from, weights},
          {Parameter::text("format", "NCHW"), Parameter::integers("padding", padding, {4, 2}),
           Parameter::list("stride", or_ones("strides")),
           Parameter::list("dilation", or_ones("dilations"))});
  uint32_t result = spatial == 1 ? reshape(made, shape(output()).dims()) : made;
  if (node_->inputs.size() > 2 && node_->inputs[2] != kNoValue) {
    result = add("add_bias", {result, input(2)}, {Parameter::integer("dim", 1)});
  }
  set(result);
  return ok_status();
}

/// x, w, r, b, then an input that TenniS lacks or the first h and c.
Status GraphWriter::add_lstm() {
  std::vector<uint32_t> arguments;
  for (size_t i = 0; i < node_->inputs.size(); ++i) {
    if (node_->inputs[i] == kNoValue || i > 5) {
      return unsupported(ErrorCode::unsupported_feature, "inputs beyond the first states");
    }
    arguments.push_back(input(i));
  }
  const int64_t direction = number("direction");
  if (direction == 1 || arguments.size() < 4) {
    return unsupported(ErrorCode::unsupported_feature, "its direction or inputs");
  }
  const Shape& recurrence = shape(node_->inputs[2]);
  const uint32_t packed = add(
      "LSTM", std::move(arguments),
      {Parameter::text("direction", direction == 0 ? "forward" : "bidirectional"),
       Parameter::integer("hidden_size", static_cast<int64_t>(recurrence[recurrence.rank() - 1]))});
  for (size_t i = 0; i < node_->outputs.size(); ++i) {
    set(add("_field", {packed}, {Parameter::integer("offset", static_cast<int64_t>(i))}), i);
  }
  return ok_status();
}

}  // namespace

Status write_tennis_graph(const Graph& graph, TennisWeights weights, ByteSink& sink) {
  GraphWriter writer(graph, weights);
  SUSURRUS_RETURN_IF_ERROR(writer.translate());
  return writer.write(sink);
}

}  // namespace susurrus
