// ONNX where its text leaves something open, or where files break it: what onnxruntime 1.20.1 gives, and what it rejects.
#include <numeric>

#include "container/onnx_builder.h"
#include "graph/graph_run.h"
#include "graph/onnx/onnx_graph.h"
#include "harness.h"

namespace susurrus::testing::as_onnxruntime_test {
namespace {

/// A node's message.
struct BuiltOperator {
  std::string op;
  std::vector<std::string> inputs = {"x"};
  std::vector<std::string> outputs = {"y"};
  /// AttributeProto.
  std::vector<Bytes> attributes = {};

  Bytes build() const {
    Bytes bytes;
    for (const std::string& name : inputs) append_text_field(bytes, 1, name);
    for (const std::string& name : outputs) append_text_field(bytes, 2, name);
    append_text_field(bytes, 4, op);
    for (const Bytes& attribute : attributes) append_bytes_field(bytes, 5, attribute);
    return bytes;
  }
};

Bytes integer(std::string_view name, int64_t value) {
  Bytes bytes;
  append_text_field(bytes, 1, name);
  append_number_field(bytes, 3, static_cast<uint64_t>(value));
  append_number_field(bytes, 20, 2);
  return bytes;
}
Bytes integers(std::string_view name, const std::vector<int64_t>& values) {
  Bytes bytes;
  append_text_field(bytes, 1, name);
  for (const int64_t value : values) append_number_field(bytes, 8, static_cast<uint64_t>(value));
  append_number_field(bytes, 20, 7);
  return bytes;
}
Bytes text(std::string_view name, std::string_view value) {
  Bytes bytes;
  append_text_field(bytes, 1, name);
  append_text_field(bytes, 4, value);
  append_number_field(bytes, 20, 3);
  return bytes;
}
Bytes branch(std::string_view name, const std::vector<BuiltOperator>& nodes,
             std::string_view output) {
  Bytes graph;
  for (const BuiltOperator& node : nodes) append_bytes_field(graph, 1, node.build());
  Bytes value;
  append_text_field(value, 1, output);
  append_bytes_field(graph, 12, value);
  Bytes bytes;
  append_text_field(bytes, 1, name);
  append_bytes_field(bytes, 6, graph);
  append_number_field(bytes, 20, 5);
  return bytes;
}

template <typename T>
Bytes tensor(std::string_view name, uint64_t type, const std::vector<T>& values) {
  Bytes bytes;
  append_number_field(bytes, 1, values.size());
  append_number_field(bytes, 2, type);
  append_text_field(bytes, 8, name);
  const auto* first = reinterpret_cast<const uint8_t*>(values.data());
  append_bytes_field(bytes, 9, Bytes(first, first + values.size() * sizeof(T)));
  return bytes;
}

OnnxBuilder file_of(const std::vector<BuiltOperator>& nodes, std::vector<int64_t> dims) {
  OnnxBuilder file;
  file.inputs = {{"x", std::move(dims)}};
  file.outputs = {{"y", {}}};
  file.operators = {};
  file.initializers = {};
  for (const BuiltOperator& node : nodes) file.nodes.push_back(node.build());
  return file;
}

Result<Graph> graph_of(const OnnxBuilder& file, uint64_t opset = 13) {
  Bytes bytes = file.build();
  // After the builder's own, which it stands for.
  Bytes import;
  append_number_field(import, 2, opset);
  append_bytes_field(bytes, 8, import);
  return graph_from_onnx("network", bytes, 0);
}

/// For an input of 1, 2, 3…
void expect_output(const OnnxBuilder& file, const Shape& shape, const Shape& wanted_shape,
                   const std::vector<float>& wanted, uint64_t opset = 13) {
  const auto graph = graph_of(file, opset);
  if (!graph) std::printf("    %s\n", std::string(graph.error().subject.view()).c_str());
  ASSERT_TRUE(graph.has_value());
  auto plan = make_plan(*graph, {&shape, 1});
  ASSERT_TRUE(plan.has_value());
  auto run = GraphRun::make(*graph, std::move(*plan));
  ASSERT_TRUE(run.has_value());
  std::vector<float> x(*shape.element_count());
  std::iota(x.begin(), x.end(), 1.F);
  run->set_input(0, x.data());
  ASSERT_TRUE(run->run().has_value());
  const Tensor y = run->output(0);
  EXPECT_EQ(std::string(shape_text(y.shape).view()), std::string(shape_text(wanted_shape).view()));
  ASSERT_EQ(y.count(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    const float got =
        y.type == ElementType::i64 ? static_cast<float>(y.as<int64_t>()[i]) : y.as<float>()[i];
    EXPECT_EQ(got, wanted[i]);
  }
}

}  // namespace

SUSURRUS_TEST(pools_cut_what_no_window_sees_on_both_sides) {
  const auto expect_pool = [](std::string_view op, std::string_view pad, int64_t size,
                              int64_t stride, const std::vector<float>& wanted) {
    const BuiltOperator node{
        std::string(op),
        {"x"},
        {"y"},
        {text("auto_pad", pad), integers("kernel_shape", {2}), integers("strides", {stride})}};
    expect_output(file_of({node}, {1, 1, size}), {1, 1, static_cast<uint64_t>(size)},
                  {1, 1, wanted.size()}, wanted);
  };
  expect_pool("MaxPool", "SAME_UPPER", 9, 5, {3, 8});
  expect_pool("MaxPool", "SAME_LOWER", 9, 5, {2, 7});
  expect_pool("MaxPool", "SAME_UPPER", 12, 7, {3, 10});
  expect_pool("MaxPool", "SAME_LOWER", 12, 7, {3, 10});
  expect_pool("AveragePool", "SAME_UPPER", 9, 5, {2.5F, 7.5F});
  expect_pool("AveragePool", "SAME_LOWER", 12, 7, {2.5F, 9.5F});
  // Convolutions do not.
  BuiltOperator node{
      "Conv", {"x", "w"}, {"y"}, {text("auto_pad", "SAME_UPPER"), integers("strides", {7})}};
  OnnxBuilder file = file_of({node}, {1, 1, 12});
  Bytes weight;
  for (const uint64_t dim : {1, 1, 2}) append_number_field(weight, 1, dim);
  append_number_field(weight, 2, 1);
  append_text_field(weight, 8, "w");
  const std::vector<float> ones = {1, 1};
  const auto* first = reinterpret_cast<const uint8_t*>(ones.data());
  append_bytes_field(weight, 9, Bytes(first, first + 8));
  file.tensors = {weight};
  expect_output(file, {1, 1, 12}, {1, 1, 2}, {3, 17});
}

SUSURRUS_TEST(resizes_of_version_10_round_up_where_they_make_smaller) {
  const BuiltOperator node{"Resize", {"x", "s"}, {"y"}, {text("mode", "nearest")}};
  OnnxBuilder file = file_of({node}, {1, 1, 5, 4});
  file.tensors = {tensor<float>("s", 1, {1, 1, 0.5F, 2})};
  expect_output(file, {1, 1, 5, 4}, {1, 1, 2, 8},
                {1, 1, 2, 2, 3, 3, 4, 4, 9, 9, 10, 10, 11, 11, 12, 12}, 10);
  file.tensors = {tensor<float>("s", 1, {1, 1, 0.7F, 0.6F})};
  expect_output(file, {1, 1, 5, 4}, {1, 1, 3, 2}, {1, 3, 9, 11, 13, 15}, 10);
}

SUSURRUS_TEST(only_1_keeps_dimensions) {
  for (const int64_t keep : {0, 1, 2, -1}) {
    const Shape wanted = keep == 1 ? Shape{2, 1} : Shape{2};
    expect_output(
        file_of({{"ReduceMax", {"x"}, {"y"}, {integers("axes", {1}), integer("keepdims", keep)}}},
                {2, 3}),
        {2, 3}, wanted, {3, 6});
    expect_output(
        file_of({{"ArgMax", {"x"}, {"y"}, {integer("axis", 1), integer("keepdims", keep)}}},
                {2, 3}),
        {2, 3}, wanted, {2, 2});
  }
}

SUSURRUS_TEST(names_that_come_twice_are_refused) {
  const auto expect_twice = [](const OnnxBuilder& file, std::string_view name) {
    const auto graph = graph_of(file);
    ASSERT_TRUE(!graph.has_value());
    EXPECT_EQ(error_code_name(graph.error().code), "malformed");
    EXPECT_EQ(error_reason_name(graph.error().reason), "duplicate");
    EXPECT_TRUE(graph.error().subject.view().ends_with(name));
    EXPECT_TRUE(graph.error().offset != kNoOffset);
  };
  expect_twice(file_of({{"Neg", {"x"}, {"a"}}, {"Exp", {"x"}, {"a"}}, {"Neg", {"a"}}}, {2}), "a");
  expect_twice(file_of({{"Neg", {"x"}, {"x"}}, {"Neg", {"x"}}}, {2}), "x");
  expect_twice(file_of({{"Split", {"x"}, {"a", "a"}}, {"Neg", {"a"}}}, {2}), "a");
  OnnxBuilder file = file_of({{"Neg", {"x"}, {"w"}}, {"Neg", {"w"}}}, {2});
  file.tensors = {tensor<float>("w", 1, {1, 2})};
  expect_twice(file, "w");
  file = file_of({{"Neg"}}, {2});
  file.inputs.push_back(file.inputs[0]);
  expect_twice(file, "x");
  // Initialisers that are inputs too are old files'.
  file = file_of({{"Neg"}}, {2});
  file.inputs.push_back({"w", {2}});
  file.tensors = {tensor<float>("w", 1, {1, 2})};
  EXPECT_TRUE(graph_of(file).has_value());
}

SUSURRUS_TEST(a_branch_has_names_of_its_own) {
  // Two branches and what is around them have the same names, and none of one is known in another.
  const auto chosen = [](const std::string& output, std::string_view op) {
    return BuiltOperator{
        "If",
        {"c"},
        {output},
        {branch("then_branch", {{std::string(op), {"x"}, {"a"}}, {"Neg", {"a"}, {"b"}}}, "b")}};
  };
  OnnxBuilder file = file_of(
      {chosen("p", "Relu"), chosen("q", "Neg"), {"Add", {"p", "q"}, {"a"}}, {"Neg", {"a"}, {"y"}}},
      {2});
  file.tensors = {tensor<uint8_t>("c", 9, {1})};
  expect_output(file, {2}, {2}, {0, 0});
  file = file_of({chosen("p", "Relu"), {"Neg", {"a"}, {"y"}}}, {2});
  file.tensors = {tensor<uint8_t>("c", 9, {1})};
  const auto graph = graph_of(file);
  ASSERT_TRUE(!graph.has_value());
  EXPECT_EQ(error_reason_name(graph.error().reason), "model");
  // Within a branch each is new.
  file = file_of({{"If",
                   {"c"},
                   {"y"},
                   {branch("then_branch", {{"Neg", {"x"}, {"a"}}, {"Exp", {"x"}, {"a"}}}, "a")}}},
                 {2});
  file.tensors = {tensor<uint8_t>("c", 9, {1})};
  const auto twice = graph_of(file);
  ASSERT_TRUE(!twice.has_value());
  EXPECT_EQ(error_reason_name(twice.error().reason), "duplicate");
}

SUSURRUS_TEST(a_window_longer_than_the_input_covers_what_is_there_if_the_last_one_is_kept) {
  const auto expect_pool = [](std::string op, int64_t kernel, int64_t stride,
                              const std::vector<float>& wanted, int64_t counts_pads = 0) {
    const BuiltOperator node{op,
                             {"x"},
                             {"y"},
                             {integers("kernel_shape", {kernel}), integers("strides", {stride}),
                              integer("ceil_mode", 1), integer("count_include_pad", counts_pads)}};
    expect_output(file_of({node}, {1, 1, 5}), {1, 1, 5}, {1, 1, wanted.size()}, wanted, 19);
  };
  expect_pool("AveragePool", 100, 100, {3});
  expect_pool("AveragePool", 100, 100, {3}, 1);
  expect_pool("MaxPool", 100, 100, {5});
  expect_pool("AveragePool", 7, 3, {3});
  // A step back the window would still reach beyond the end.
  const BuiltOperator node{
      "AveragePool",
      {"x"},
      {"y"},
      {integers("kernel_shape", {100}), integers("strides", {95}), integer("ceil_mode", 1)}};
  const auto graph = graph_of(file_of({node}, {1, 1, 5}), 19);
  const Shape shape{1, 1, 5};
  ASSERT_TRUE(!graph.has_value() || !make_plan(*graph, {&shape, 1}).has_value());
}

SUSURRUS_TEST(a_depth_of_one_hot_may_follow_from_shapes) {
  OnnxBuilder file = file_of({{"Size", {"x"}, {"d"}}, {"OneHot", {"i", "d", "v"}}}, {3});
  file.tensors = {tensor<int64_t>("i", 7, {2}), tensor<float>("v", 1, {0, 1})};
  expect_output(file, {3}, {1, 3}, {0, 0, 1});
}

SUSURRUS_TEST(a_single_index_is_no_input_of_one_hot) {
  OnnxBuilder file = file_of({{"OneHot", {"x", "d", "v"}}}, {});
  file.inputs[0].element_type = 7;
  file.tensors = {tensor<int64_t>("d", 7, {3}), tensor<float>("v", 1, {0, 1})};
  const auto graph = graph_of(file);
  const Shape shape;
  ASSERT_TRUE(!graph.has_value() || !make_plan(*graph, {&shape, 1}).has_value());
}

}  // namespace susurrus::testing::as_onnxruntime_test
