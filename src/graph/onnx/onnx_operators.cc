// Each operator of ONNX in terms of the graph's own.
#include <algorithm>
#include <cmath>
#include <limits>

#include "graph/onnx/onnx_layers.h"
#include "graph/onnx/onnx_translation.h"
#include "graph/operator_name.h"

namespace susurrus {
namespace {

/// One primitive with the same inputs.
Status add_same(OnnxTranslation& to, std::string_view op,
                std::span<const Attribute> attributes = {}) {
  std::vector<ValueId> inputs;
  for (size_t i = 0; i < to.input_count(); ++i) inputs.push_back(to.input(i));
  while (!inputs.empty() && inputs.back() == kNoValue) inputs.pop_back();
  const size_t outputs = std::max<size_t>(1, to.node().outputs.size());
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId first, to.builder().add(op, inputs, attributes, outputs));
  for (size_t i = 0; i < outputs; ++i) to.set_output(i, first + static_cast<ValueId>(i));
  return ok_status();
}

Result<ValueId> add_number(OnnxTranslation& to, float number) {
  SUSURRUS_ASSIGN_OR_RETURN(OwnedTensor tensor,
                            OwnedTensor::allocate(ElementType::f32, {}, "constants"));
  tensor.view().f32()[0] = number;
  return to.builder().add_constant({}, std::move(tensor));
}

template <OperatorName Op>
Status same(OnnxTranslation& to) {
  return add_same(to, Op.view());
}

template <OperatorName Op>
Status with_alpha(OnnxTranslation& to) {
  const OnnxAttribute* alpha = to.attribute("alpha");
  if (alpha == nullptr) return add_same(to, Op.view());
  const Attribute attribute{"alpha", static_cast<double>(alpha->number)};
  return add_same(to, Op.view(), {&attribute, 1});
}

/// a > b is b < a.
template <OperatorName Op>
Status exchanged(OnnxTranslation& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId y, to.add(Op.view(), {to.input(1), to.input(0)}));
  to.set_output(0, y);
  return ok_status();
}

/// Any number of inputs, two by two.
template <OperatorName Op>
Status chained(OnnxTranslation& to) {
  ValueId y = to.input(0);
  for (size_t i = 1; i < to.input_count(); ++i) {
    SUSURRUS_ASSIGN_OR_RETURN(y, to.add(Op.view(), {y, to.input(i)}));
  }
  to.set_output(0, y);
  return ok_status();
}

Status identity(OnnxTranslation& to) {
  to.set_output(0, to.input(0));
  return ok_status();
}

Status constant(OnnxTranslation& to) {
  using Kind = OnnxAttribute::Kind;
  if (to.node().attributes.size() != 1) return to.wrong("attributes", "one value");
  const OnnxAttribute& value = to.node().attributes.front();
  const auto number_type = value.kind == Kind::number || value.kind == Kind::numbers
                               ? ElementType::f32
                               : ElementType::i64;
  if (value.kind == Kind::tensor) {
    SUSURRUS_ASSIGN_OR_RETURN(OwnedTensor tensor, take_tensor(*value.tensor));
    to.set_output(0, to.builder().add_constant({}, std::move(tensor)));
    return ok_status();
  }
  Shape shape;
  std::span<const double> numbers = value.numbers;
  const auto number = static_cast<double>(value.number);
  if (value.kind == Kind::number) numbers = {&number, 1};
  std::span<const int64_t> integers = value.integers;
  if (value.kind == Kind::integer) integers = {&value.integer, 1};
  if (value.kind == Kind::numbers) shape.append(numbers.size());
  if (value.kind == Kind::integers) shape.append(integers.size());
  if (numbers.empty() && integers.empty() && shape.rank() == 0) {
    return to.wrong(value.name, "numbers or a tensor");
  }
  SUSURRUS_ASSIGN_OR_RETURN(OwnedTensor tensor,
                            OwnedTensor::allocate(number_type, shape, "constants"));
  const Tensor view = tensor.view();
  for (size_t i = 0; i < numbers.size(); ++i) view.as<float>()[i] = static_cast<float>(numbers[i]);
  for (size_t i = 0; i < integers.size(); ++i) view.as<int64_t>()[i] = integers[i];
  to.set_output(0, to.builder().add_constant({}, std::move(tensor)));
  return ok_status();
}

Status cast(OnnxTranslation& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const ElementType type,
                            onnx_element_type(static_cast<uint64_t>(to.integer("to", 0))));
  const Attribute attribute{"to", static_cast<int64_t>(type)};
  return add_same(to, "cast", {&attribute, 1});
}

/// Bounds are attributes in old versions, inputs in later ones.
Status clip(OnnxTranslation& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const double least, to.constant_number(1, to.number("min", -HUGE_VAL)));
  SUSURRUS_ASSIGN_OR_RETURN(const double most, to.constant_number(2, to.number("max", HUGE_VAL)));
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId y,
                            to.add("clip", {to.input(0)}, {{"min", least}, {"max", most}}));
  to.set_output(0, y);
  return ok_status();
}

Status hard_sigmoid(OnnxTranslation& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId y,
                            to.add("hard_sigmoid", {to.input(0)},
                                   {{"alpha", to.number("alpha", static_cast<double>(0.2F))},
                                    {"beta", to.number("beta", 0.5)}}));
  to.set_output(0, y);
  return ok_status();
}

Status modulo(OnnxTranslation& to) {
  return add_same(to, to.integer("fmod", 0) != 0 ? "remainder" : "modulo");
}

Status reshape(OnnxTranslation& to) {
  ValueId shape = to.input(1);
  if (shape == kNoValue) {
    SUSURRUS_ASSIGN_OR_RETURN(shape, to.builder().add_integers({}, to.integers("shape")));
  }
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId y, to.add("reshape", {to.input(0), shape},
                                                    {{"allow_zero", to.integer("allowzero", 0)}}));
  to.set_output(0, y);
  return ok_status();
}

template <OperatorName Op>
Status along_axes(OnnxTranslation& to) {
  SUSURRUS_ASSIGN_OR_RETURN(std::vector<int64_t> axes, to.integers_of("axes", 1));
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId y,
                            to.add(Op.view(), {to.input(0)}, {{"axes", std::move(axes)}}));
  to.set_output(0, y);
  return ok_status();
}

/// Numbers other than 1 are as 0.
int64_t keeps_dims(const OnnxTranslation& to) { return int64_t{to.integer("keepdims", 1) == 1}; }

template <OperatorName Op>
Status reduced(OnnxTranslation& to) {
  SUSURRUS_ASSIGN_OR_RETURN(std::vector<int64_t> axes, to.integers_of("axes", 1));
  if (axes.empty() && to.integer("noop_with_empty_axes", 0) != 0) return identity(to);
  SUSURRUS_ASSIGN_OR_RETURN(
      const ValueId y,
      to.add(Op.view(), {to.input(0)}, {{"axes", std::move(axes)}, {"keep_dims", keeps_dims(to)}}));
  to.set_output(0, y);
  return ok_status();
}

template <OperatorName Op>
Status found_along(OnnxTranslation& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId y,
                            to.add(Op.view(), {to.input(0)},
                                   {{"axis", to.integer("axis", 0)},
                                    {"keep_dims", keeps_dims(to)},
                                    {"select_last", to.integer("select_last_index", 0)}}));
  to.set_output(0, y);
  return ok_status();
}

/// Before version 13 softmax was over all dimensions from the axis on.
template <OperatorName Op>
Status softmax(OnnxTranslation& to) {
  ValueId x = to.input(0);
  const bool is_old = to.opset() < 13;
  if (is_old) {
    SUSURRUS_ASSIGN_OR_RETURN(x, to.add("flatten", {x}, {{"axis", to.integer("axis", 1)}}));
  }
  const int64_t axis = is_old ? -1 : to.integer("axis", -1);
  SUSURRUS_ASSIGN_OR_RETURN(ValueId y, to.add(Op.view(), {x}, {{"axis", axis}}));
  if (is_old) {
    SUSURRUS_ASSIGN_OR_RETURN(const ValueId shape, to.add("shape", {to.input(0)}));
    SUSURRUS_ASSIGN_OR_RETURN(y, to.add("reshape", {y, shape}, {{"allow_zero", int64_t{1}}}));
  }
  to.set_output(0, y);
  return ok_status();
}

Status layer_norm(OnnxTranslation& to) {
  if (to.node().outputs.size() > 1) return to.wrong("outputs", "the normalised values alone");
  SUSURRUS_ASSIGN_OR_RETURN(
      const ValueId y, to.add("layer_norm", {to.input(0), to.input(1), to.input(2)},
                              {{"axis", to.integer("axis", -1)},
                               {"epsilon", to.number("epsilon", static_cast<double>(1e-5F))}}));
  to.set_output(0, y);
  return ok_status();
}

Status transpose(OnnxTranslation& to) {
  const std::vector<int64_t> order = to.integers("perm");
  const Attribute attribute{"perm", order};
  return add_same(to, "transpose", {&attribute, 1});
}

template <OperatorName Op, int64_t Usual>
Status with_axis(OnnxTranslation& to) {
  const Attribute attribute{"axis", to.integer("axis", Usual)};
  return add_same(to, Op.view(), {&attribute, 1});
}

Status split(OnnxTranslation& to) {
  SUSURRUS_ASSIGN_OR_RETURN(std::vector<int64_t> sizes, to.integers_of("split", 1));
  const size_t outputs = to.node().outputs.size();
  SUSURRUS_ASSIGN_OR_RETURN(
      const ValueId first,
      to.add("split", {to.input(0)}, {{"axis", to.integer("axis", 0)}, {"sizes", std::move(sizes)}},
             outputs));
  for (size_t i = 0; i < outputs; ++i) to.set_output(i, first + static_cast<ValueId>(i));
  return ok_status();
}

/// The lists are attributes before version 10, inputs since.
Status slice(OnnxTranslation& to) {
  if (to.has_input(1)) return add_same(to, "slice");
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId starts,
                            to.builder().add_integers({}, to.integers("starts")));
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId ends, to.builder().add_integers({}, to.integers("ends")));
  ValueId axes = kNoValue;
  if (to.attribute("axes") != nullptr) {
    SUSURRUS_ASSIGN_OR_RETURN(axes, to.builder().add_integers({}, to.integers("axes")));
  }
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId y, to.add("slice", {to.input(0), starts, ends, axes}));
  to.set_output(0, y);
  return ok_status();
}

/// Without a value: 0 as f32.
Status constant_of_shape(OnnxTranslation& to) {
  OwnedTensor element;
  if (const OnnxAttribute* value = to.attribute("value")) {
    if (value->tensor == nullptr) return to.wrong("value", "a tensor");
    SUSURRUS_ASSIGN_OR_RETURN(element, take_tensor(*value->tensor));
  } else {
    SUSURRUS_ASSIGN_OR_RETURN(element, OwnedTensor::allocate(ElementType::f32, {1}, "constants"));
    element.view().f32()[0] = 0;
  }
  const ValueId id = to.builder().add_constant({}, std::move(element));
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId y, to.add("constant_of_shape", {id, to.input(0)}));
  to.set_output(0, y);
  return ok_status();
}

/// alpha · A · B + beta · C, either matrix turned over.
Status matmul(OnnxTranslation& to) {
  const bool is_transposed = to.is_turned(to.input(1));
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId y, to.add("matmul", {to.input(0), to.input(1)},
                                                    {{"is_transposed", int64_t{is_transposed}}}));
  to.set_output(0, y);
  return ok_status();
}

Status gemm(OnnxTranslation& to) {
  ValueId a = to.input(0);
  const ValueId b = to.input(1);
  const std::vector<int64_t> turned = {1, 0};
  if (to.integer("transA", 0) != 0) {
    SUSURRUS_ASSIGN_OR_RETURN(a, to.add("transpose", {a}, {{"perm", turned}}));
  }
  const bool is_transposed = to.integer("transB", 0) != 0 || to.is_turned(b);
  SUSURRUS_ASSIGN_OR_RETURN(ValueId y,
                            to.add("matmul", {a, b}, {{"is_transposed", int64_t{is_transposed}}}));
  const auto scaled = [&](ValueId x, double factor) -> Result<ValueId> {
    if (factor == 1) return x;
    SUSURRUS_ASSIGN_OR_RETURN(const ValueId number, add_number(to, static_cast<float>(factor)));
    return to.add("multiply", {x, number});
  };
  SUSURRUS_ASSIGN_OR_RETURN(y, scaled(y, to.number("alpha", 1)));
  if (to.has_input(2)) {
    SUSURRUS_ASSIGN_OR_RETURN(const ValueId c, scaled(to.input(2), to.number("beta", 1)));
    SUSURRUS_ASSIGN_OR_RETURN(y, to.add("add", {y, c}));
  }
  to.set_output(0, y);
  return ok_status();
}

/// The branch is chosen when the graph is read: its condition follows from constants and fixed inputs.
Status choose(OnnxTranslation& to) {
  const OwnedTensor* condition = to.builder().constant(to.input(0));
  if (condition == nullptr || condition->shape.element_count() != 1) {
    return to.wrong("input 0", "a condition that is constant");
  }
  // Nodes of the branch become the current one.
  const OnnxNode& node = to.node();
  const bool is_true = condition->buffer.data()[0] != 0;
  const OnnxAttribute* branch = to.attribute(is_true ? "then_branch" : "else_branch");
  if (branch == nullptr || branch->graph.empty()) return to.wrong("branch", "a graph");
  const OnnxGraphMessage& graph = branch->graph.front();
  if (graph.outputs.size() != node.outputs.size()) return to.wrong("branch", "as many outputs");
  SUSURRUS_ASSIGN_OR_RETURN(const std::vector<ValueId> outputs, to.add_branch(graph));
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    if (!node.outputs[i].empty()) to.name(node.outputs[i], outputs[i]);
  }
  return ok_status();
}

Status lstm(OnnxTranslation& to) {
  const std::string_view direction = to.text("direction", "forward");
  if (direction != "forward" && direction != "reverse" && direction != "bidirectional") {
    return to.wrong("direction", "forward, reverse or bidirectional");
  }
  for (std::string_view name : {"activations", "clip", "input_forget", "layout"}) {
    const OnnxAttribute* found = to.attribute(name);
    if (found != nullptr && (name == "activations" || name == "clip" || found->integer != 0)) {
      return to.wrong(name, "what it usually is");
    }
  }
  if (to.has_input(4)) return to.wrong("sequence_lens", "sequences of one length");
  if (to.has_input(7)) return to.wrong("P", "no peepholes");
  const int64_t number = direction == "forward" ? 0 : (direction == "reverse" ? 1 : 2);
  SUSURRUS_ASSIGN_OR_RETURN(
      const ValueId first,
      to.add("lstm", {to.input(0), to.input(1), to.input(2), to.input(3), to.input(5), to.input(6)},
             {{"direction", number}}, 3));
  for (size_t i = 0; i < 3; ++i) to.set_output(i, first + static_cast<ValueId>(i));
  return ok_status();
}

/// Pads and what they are filled with are attributes before version 11, inputs since.
Status pad(OnnxTranslation& to) {
  const std::string_view mode = to.text("mode", "constant");
  if (mode != "constant" && mode != "reflect" && mode != "edge") {
    return to.wrong("mode", "constant, reflect or edge");
  }
  if (to.has_input(3)) return to.wrong("axes", "pads for all axes");
  SUSURRUS_ASSIGN_OR_RETURN(std::vector<int64_t> pads, to.integers_of("pads", 1));
  const int64_t number = mode == "constant" ? 0 : (mode == "reflect" ? 1 : 2);
  ValueId filling = to.input(2);
  if (const OnnxAttribute* value = to.attribute("value")) {
    SUSURRUS_ASSIGN_OR_RETURN(filling, add_number(to, value->number));
  }
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId y, to.add("pad", {to.input(0), filling},
                                                    {{"mode", number}, {"pads", std::move(pads)}}));
  to.set_output(0, y);
  return ok_status();
}

/// The product of the dimensions.
Status size(OnnxTranslation& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId shape, to.add("shape", {to.input(0)}));
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId y,
                            to.add("reduce_product", {shape}, {{"keep_dims", int64_t{0}}}));
  to.set_output(0, y);
  return ok_status();
}

constexpr OnnxOperator kOperators[] = {
    {"Abs", same<"abs">},
    {"Add", same<"add">},
    {"And", same<"and">},
    {"ArgMax", found_along<"argmax">},
    {"ArgMin", found_along<"argmin">},
    {"AveragePool", onnx::average_pool},
    {"BatchNormalization", onnx::batch_norm},
    {"Cast", cast},
    {"Ceil", same<"ceil">},
    {"Clip", clip},
    {"Concat", with_axis<"concat", 0>},
    {"Constant", constant},
    {"ConstantOfShape", constant_of_shape},
    {"Conv", onnx::convolution},
    {"ConvInteger", onnx::convolution_integer},
    {"ConvTranspose", onnx::transposed_convolution},
    {"Cos", same<"cos">},
    {"CumSum", onnx::running_sum},
    {"DepthToSpace", onnx::depth_to_space},
    {"DequantizeLinear", onnx::dequantize},
    {"Div", same<"divide">},
    {"Dropout", identity},
    {"DynamicQuantizeLinear", same<"dynamic_quantize">},
    {"Elu", with_alpha<"elu">},
    {"Equal", same<"equal">},
    {"Erf", same<"erf">},
    {"Exp", same<"exp">},
    {"Expand", same<"expand">},
    {"Flatten", with_axis<"flatten", 1>},
    {"Floor", same<"floor">},
    {"GRU", onnx::gru},
    {"Gather", with_axis<"gather", 0>},
    {"GatherElements", with_axis<"gather_elements", 0>},
    {"GatherND", onnx::gather_nd},
    {"Gelu", onnx::gelu},
    {"Gemm", gemm},
    {"GlobalAveragePool", same<"global_average_pool">},
    {"GlobalMaxPool", same<"global_max_pool">},
    {"Greater", exchanged<"less">},
    {"GreaterOrEqual", exchanged<"less_or_equal">},
    {"HardSigmoid", hard_sigmoid},
    {"HardSwish", same<"hard_swish">},
    {"Identity", identity},
    {"If", choose},
    {"InstanceNormalization", onnx::instance_norm},
    {"LSTM", lstm},
    {"LayerNormalization", layer_norm},
    {"LeakyRelu", with_alpha<"leaky_relu">},
    {"Less", same<"less">},
    {"LessOrEqual", same<"less_or_equal">},
    {"Log", same<"log">},
    {"LogSoftmax", softmax<"log_softmax">},
    {"MatMul", matmul},
    {"MatMulInteger", onnx::matmul_integer},
    {"Max", chained<"maximum">},
    {"MaxPool", onnx::max_pool},
    {"Min", chained<"minimum">},
    {"Mod", modulo},
    {"Mul", same<"multiply">},
    {"Neg", same<"negative">},
    {"Not", same<"not">},
    {"OneHot", onnx::one_hot},
    {"Or", same<"or">},
    {"PRelu", same<"prelu">},
    {"Pad", pad},
    {"Pow", same<"power">},
    {"QuantizeLinear", onnx::quantize},
    {"Range", same<"range">},
    {"Reciprocal", same<"reciprocal">},
    {"ReduceL1", reduced<"reduce_l1">},
    {"ReduceL2", reduced<"reduce_l2">},
    {"ReduceMax", reduced<"reduce_max">},
    {"ReduceMean", reduced<"reduce_mean">},
    {"ReduceMin", reduced<"reduce_min">},
    {"ReduceProd", reduced<"reduce_product">},
    {"ReduceSum", reduced<"reduce_sum">},
    {"ReduceSumSquare", reduced<"reduce_sum_square">},
    {"Relu", same<"relu">},
    {"Reshape", reshape},
    {"Resize", onnx::resize},
    {"Round", same<"round">},
    {"ScatterND", onnx::scatter_nd},
    {"Shape", same<"shape">},
    {"Sigmoid", same<"sigmoid">},
    {"Sign", same<"sign">},
    {"Sin", same<"sin">},
    {"Size", size},
    {"Slice", slice},
    {"Softmax", softmax<"softmax">},
    {"Softplus", same<"softplus">},
    {"Softsign", same<"softsign">},
    {"SpaceToDepth", onnx::space_to_depth},
    {"Split", split},
    {"Sqrt", same<"sqrt">},
    {"Squeeze", along_axes<"squeeze">},
    {"Sub", same<"subtract">},
    {"Sum", chained<"add">},
    {"Tanh", same<"tanh">},
    {"Tile", onnx::tile},
    {"TopK", onnx::top},
    {"Transpose", transpose},
    {"Unsqueeze", along_axes<"unsqueeze">},
    {"Upsample", onnx::upsample},
    {"Where", same<"where">},
    {"Xor", same<"xor">},
};
static_assert(std::ranges::is_sorted(kOperators, {}, &OnnxOperator::name));

}  // namespace

std::span<const OnnxOperator> onnx_operators() { return kOperators; }

const OnnxOperator* find_onnx_operator(std::string_view name) {
  const auto* at = std::ranges::lower_bound(kOperators, name, {}, &OnnxOperator::name);
  return at != std::end(kOperators) && at->name == name ? at : nullptr;
}

}  // namespace susurrus
