// TenniS modules run: the worked values of tennis.md §2.3, and what has to be rejected when they run (§4, 25 to 38).
#include "graph/tennis/tennis_module.h"

#include "container/tennis_builder.h"
#include "graph/graph_run.h"
#include "harness.h"
#include "session/allocation_count.h"

namespace susurrus::testing::tennis_module_test {
namespace {

BuiltParameter ints(std::string name, std::vector<int32_t> values) {
  const auto count = static_cast<int32_t>(values.size());
  return parameter(std::move(name), int32_field({count}, values));
}
BuiltParameter number(std::string name, int32_t value) {
  return parameter(std::move(name), int32_field({}, {value}));
}
BuiltParameter text(std::string name, std::string_view value) {
  return parameter(std::move(name), text_field(value));
}
BuiltNode constant(BuiltField value) {
  return node("<const>", "c", {}, {parameter("value", std::move(value))});
}
const std::vector<int32_t> kOnes = {1, 1, 1, 1};
const std::vector<int32_t> kNone = {0, 0, 0, 0, 0, 0, 0, 0};

/// Node 0 is fed, constants follow, the last node is the operator with all of them as arguments.
Bytes module_of(std::string_view op, std::vector<BuiltParameter> parameters,
                std::vector<BuiltField> constants = {}) {
  TennisBuilder builder;
  builder.nodes.push_back(node("<param>", "x", {}));
  std::vector<int32_t> arguments = {0};
  for (BuiltField& field : constants) {
    arguments.push_back(static_cast<int32_t>(builder.nodes.size()));
    builder.nodes.push_back(constant(std::move(field)));
  }
  builder.nodes.push_back(node(op, "y", arguments, std::move(parameters)));
  builder.inputs = {0};
  builder.outputs = {static_cast<int32_t>(builder.nodes.size()) - 1};
  return builder.build();
}

Result<std::vector<float>> run(const Bytes& file, Shape shape, std::vector<float> x,
                               std::string_view name = {}) {
  SUSURRUS_ASSIGN_OR_RETURN(const TennisModule module, TennisModule::read(file));
  const TennisFed fed{name, ElementType::f32, shape};
  SUSURRUS_ASSIGN_OR_RETURN(const Graph graph, module.graph({&fed, 1}));
  const Shape shapes[] = {shape};
  SUSURRUS_ASSIGN_OR_RETURN(Plan plan, make_plan(graph, shapes));
  SUSURRUS_ASSIGN_OR_RETURN(GraphRun graph_run, GraphRun::make(graph, std::move(plan)));
  graph_run.set_input(0, x.data());
  SUSURRUS_RETURN_IF_ERROR(graph_run.run());
  std::vector<float> values;
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    const Tensor y = graph_run.output(i);
    for (size_t k = 0; k < y.count(); ++k) {
      values.push_back(y.type == ElementType::f32 ? y.f32()[k]
                                                  : static_cast<float>(y.as<int32_t>()[k]));
    }
  }
  return values;
}

void expect_values(const Bytes& file, Shape shape, std::vector<float> x,
                   const std::vector<float>& wanted) {
  const auto got = run(file, shape, std::move(x));
  if (!got) std::printf("    %s\n", std::string(got.error().subject.view()).c_str());
  ASSERT_TRUE(got.has_value());
  ASSERT_EQ(got->size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR((*got)[i], wanted[i], 1e-6);
}

/// Rejected, naming the node by its number and name.
void expect_refused(const Bytes& file, Shape shape, std::string_view node_name,
                    ErrorCode code = ErrorCode::malformed) {
  std::vector<float> x(static_cast<size_t>(*shape.element_count()), 1.0F);
  const auto got = run(file, shape, std::move(x));
  ASSERT_FALSE(got.has_value());
  const std::string subject(got.error().subject.view());
  if (!EXPECT_TRUE(subject.starts_with(node_name))) std::printf("    %s\n", subject.c_str());
  EXPECT_EQ(error_code_name(got.error().code), error_code_name(code));
  EXPECT_NE(got.error().offset, kNoOffset);
}

std::vector<BuiltParameter> pooling(int32_t type, int32_t padding_type) {
  return {text("format", "NCHW"),      number("type", type),
          ints("padding", kNone),      number("padding_type", padding_type),
          ints("ksize", {1, 1, 1, 2}), ints("stride", {1, 1, 1, 2})};
}

/// A convolution with one thing changed; an empty value leaves it out.
std::vector<BuiltParameter> convolution(std::string_view changed = {},
                                        std::vector<BuiltParameter> instead = {}) {
  std::vector<BuiltParameter> parameters = {text("format", "NCHW"), ints("padding", kNone),
                                            ints("stride", kOnes), ints("dilation", kOnes)};
  std::erase_if(parameters, [&](const BuiltParameter& one) { return one.name == changed; });
  for (BuiltParameter& one : instead) parameters.push_back(std::move(one));
  return parameters;
}

BuiltField weights(std::vector<int32_t> shape) {
  size_t count = 1;
  for (const int32_t dim : shape) count *= static_cast<size_t>(dim);
  return float_field(std::move(shape), std::vector<float>(count, 1.0F));
}

}  // namespace

SUSURRUS_TEST(tennis_pools_round_up) {
  const Shape shape{1, 1, 1, 5};
  const std::vector<float> x = {1, 2, 3, 4, 5};
  expect_values(module_of("pooling2d", pooling(0, 0)), shape, x, {2, 4, 5});
  expect_values(module_of("pooling2d", pooling(1, 0)), shape, x, {1.5, 3.5, 5});
  expect_values(module_of("pooling2d", pooling(1, 3)), shape, x, {1.5, 3.5, 2.5});
}

SUSURRUS_TEST(tennis_padding_is_calculated) {
  const std::vector<BuiltField> window = {int32_field({4}, {1, 1, 1, 3}),
                                          int32_field({4}, {1, 1, 1, 2})};
  expect_values(
      module_of("_onnx_pooling2d_padding",
                {text("auto_pad", "NOTSET"), ints("padding", {0, 0, 0, 0, 0, 0, 1, 1})}, window),
      {1, 1, 1, 6}, std::vector<float>(6), {0, 0, 0, 0, 0, 0, 1, 0});
  for (const int32_t size : {5, 6}) {
    const Bytes file = module_of(
        "_tf_conv2d_padding",
        {text("padding_method", "SAME"), text("format", "NCHW"), ints("stride", {1, 1, 1, 2})},
        {weights({1, 1, 1, 3})});
    const float before = size == 5 ? 1.0F : 0.0F;
    expect_values(file, {1, 1, 1, static_cast<uint64_t>(size)},
                  std::vector<float>(static_cast<size_t>(size)), {0, 0, 0, 0, 0, 0, before, 1});
  }
}

SUSURRUS_TEST(tennis_images_change_their_size) {
  const auto resized = [](int32_t type, int32_t size) {
    return module_of("_resize2d", {number("type", type)}, {int32_field({2}, {-1, size})});
  };
  expect_values(resized(0, 4), {1, 2}, {0, 1}, {0, 0.25, 0.75, 0.99999F});
  for (const int32_t type : {2, 3}) {
    expect_values(resized(type, 6), {1, 3}, {1, 2, 3}, {1, 1, 2, 2, 3, 3});
  }
  expect_values(resized(2, 2), {1, 5}, {1, 2, 3, 4, 5}, {2, 4});
  expect_values(resized(3, 2), {1, 5}, {1, 2, 3, 4, 5}, {1, 3});
  const auto sampled = run(module_of("sample2d", {number("scale", 2), number("type", 2)}), {2, 3},
                           {1, 2, 3, 4, 5, 6});
  ASSERT_TRUE(sampled.has_value());
  const std::vector<float> wanted = {1, 2, 2, 0, 0, 0};
  for (size_t i = 0; i < 6; ++i) EXPECT_EQ((*sampled)[i], wanted[i]);
}

SUSURRUS_TEST(tennis_transposed_convolutions_have_the_size_of_the_sheet) {
  const Bytes file = module_of("transpose_conv2d",
                               {text("format", "NCHW"), ints("padding", {0, 0, 0, 0, 0, 0, 1, 0}),
                                ints("stride", {1, 1, 1, 2}), ints("dialations", kOnes)},
                               {weights({1, 1, 1, 3})});
  expect_values(file, {1, 1, 1, 3}, {1, 2, 3}, {1, 3, 2, 5, 3, 3});
}

SUSURRUS_TEST(tennis_packed_outputs_are_several_and_shapes_may_change) {
  const Bytes file = module_of("chunk", {number("chunks", 2), number("dim", 0)});
  expect_values(file, {3}, {1, 2, 3}, {1, 2, 3});
  expect_values(file, {4}, {1, 2, 3, 4}, {1, 2, 3, 4});
}

SUSURRUS_TEST(tennis_int8_convolutions_scale_their_sums) {
  BuiltField filter = int32_field({1, 1, 1, 2}, {});
  filter.dtype = 1;
  filter.data = {2, 0xFF};
  TennisBuilder builder;
  builder.nodes = {node("<param>", "x", {}), constant(filter),
                   node("quantize", "q", {0}, {parameter("quantize_scale", float_field({}, {2}))})};
  auto parameters = convolution();
  parameters.push_back(parameter("dequantize_scales", float_field({1}, {0.5F})));
  builder.nodes.push_back(node("conv2d_quantized", "y", {2, 1}, parameters));
  builder.inputs = {0};
  builder.outputs = {3};
  // Quantised: 3 (2.5 away from zero), -4, 127.
  expect_values(builder.build(), {1, 1, 1, 3}, {1.25F, -2, 100}, {5, -67.5F});
}

SUSURRUS_TEST(tennis_unknown_operators_are_listed_and_refused) {
  const Bytes file = module_of("yolo", {});
  const auto module = TennisModule::read(file);
  ASSERT_TRUE(module.has_value());
  ASSERT_EQ(module->unsupported().size(), 1u);
  EXPECT_EQ(module->unsupported()[0], "node 1 \"y\": yolo");
  expect_refused(file, {1}, "node 1 \"y\" (yolo)", ErrorCode::unsupported_operator);
}

SUSURRUS_TEST(tennis_refuses_what_makes_no_sense_when_it_runs) {
  constexpr auto kShape = ErrorCode::shape_mismatch;
  const Shape image{1, 2, 4, 4};
  const auto filter = [] { return std::vector<BuiltField>{weights({3, 2, 3, 3})}; };
  ASSERT_TRUE(run(module_of("conv2d", convolution(), filter()), image, std::vector<float>(32)));
  // 26
  expect_refused(module_of("conv2d", convolution()), image, "node 1 \"y\"");
  // 27
  for (const std::string_view name : {"padding", "stride", "dilation", "format"}) {
    expect_refused(module_of("conv2d", convolution(name), filter()), image, "node 2 \"y\"");
  }
  expect_refused(module_of("softmax", {}), image, "node 1 \"y\"");
  // 28
  expect_refused(module_of("conv2d", convolution("stride", {ints("stride", {1, 1, 1})}), filter()),
                 image, "node 2 \"y\"");
  expect_refused(module_of("conv2d", convolution("stride", {text("stride", "one")}), filter()),
                 image, "node 2 \"y\"");
  // 29
  expect_refused(module_of("conv2d", convolution("format", {text("format", "CHWN")}), filter()),
                 image, "node 2 \"y\"");
  expect_refused(module_of("conv2d", convolution("format", {text("format", "NHWC")}), filter()),
                 image, "node 2 \"y\"", ErrorCode::unsupported_feature);
  // 30
  expect_refused(
      module_of("conv2d", convolution("stride", {ints("stride", {1, 1, 0, 1})}), filter()), image,
      "node 2 \"y\"");
  expect_refused(
      module_of("conv2d", convolution("stride", {ints("stride", {2, 1, 1, 1})}), filter()), image,
      "node 2 \"y\"");
  expect_refused(module_of("conv2d", convolution(), {weights({1, 2, 5, 5})}), image, "node 2 \"y\"",
                 kShape);
  // 31
  expect_refused(module_of("conv2d", convolution(), {weights({1, 3, 3, 3})}), image, "node 2 \"y\"",
                 kShape);
  expect_refused(module_of("depthwise_conv2d", convolution(), {weights({1, 3, 3, 3})}), image,
                 "node 2 \"y\"");
  expect_refused(module_of("add_bias", {number("dim", 1)}, {weights({3})}), image, "node 2 \"y\"",
                 kShape);
  expect_refused(module_of("prelu", {number("dim", 1)}, {weights({3})}), image, "node 2 \"y\"",
                 kShape);
  expect_refused(module_of("batch_norm", {number("dim", 1)}, {weights({3}), weights({2})}), image,
                 "node 3 \"y\"", kShape);
  // 32
  expect_refused(module_of("_reshape", {ints("shape", {5, -1})}), image, "node 1 \"y\"", kShape);
  expect_refused(module_of("_reshape", {ints("shape", {-1, -1})}), image, "node 1 \"y\"", kShape);
  expect_refused(module_of("_reshape", {ints("shape", {1, 2, 4, 4, 0})}), image, "node 1 \"y\"",
                 kShape);
  expect_refused(module_of("_transpose", {ints("permute", {0, 0, 1, 2})}), image, "node 1 \"y\"");
  // 33
  expect_refused(module_of("concat", {number("dim", 1)}, {weights({1, 2, 3, 4})}), image,
                 "node 2 \"y\"", kShape);
  expect_refused(module_of("concat", {number("dim", 4)}, {weights({1, 2, 4, 4})}), image,
                 "node 2 \"y\"");
  expect_refused(module_of("stack", {number("axis", 0)}, {int32_field({2}, {1, 2})}), {2},
                 "node 2 \"y\"", kShape);
  // 34
  expect_refused(module_of("gather", {number("axis", 1)}, {int32_field({1}, {2})}), image,
                 "node 2 \"y\"", kShape);
  // 35
  expect_refused(module_of("add", {}, {weights({3})}), image, "node 2 \"y\"", kShape);
  // 36
  expect_refused(module_of("_field", {number("offset", 1)}), image, "node 1 \"y\"");
  expect_refused(module_of("_field", {number("offset", -1)}), image, "node 1 \"y\"");
  TennisBuilder packed;
  packed.nodes = {node("<param>", "x", {}), node("_pack", "both", {0, 0}), node("relu", "y", {1})};
  packed.inputs = {0};
  packed.outputs = {2};
  expect_refused(packed.build(), image, "node 2 \"y\"");
  // 37
  for (const char* name : {"kernel_packed", "kernel_winograd_transformed"}) {
    expect_refused(module_of("conv2d", convolution({}, {number(name, 1)}), filter()), image,
                   "node 2 \"y\"", ErrorCode::unsupported_feature);
  }
}

SUSURRUS_TEST(tennis_refuses_tensors_that_are_not_the_inputs) {
  TennisBuilder builder;
  builder.nodes = {node("<param>", "x", {}, {ints("#shape", {-1, 3})}), node("relu", "y", {0})};
  builder.inputs = {0};
  builder.outputs = {1};
  const Bytes file = builder.build();
  ASSERT_TRUE(run(file, {7, 3}, std::vector<float>(21), "x"));
  expect_refused(file, {7, 4}, "node 0 \"x\"", ErrorCode::shape_mismatch);
  expect_refused(file, {3}, "node 0 \"x\"", ErrorCode::shape_mismatch);
  const auto unknown = run(file, {7, 3}, std::vector<float>(21), "z");
  ASSERT_FALSE(unknown.has_value());
  EXPECT_EQ(unknown.error().subject.view(), "z");
  const auto module = TennisModule::read(file);
  ASSERT_TRUE(module.has_value());
  const auto missing = module->graph({});
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().subject.view(), "node 0 \"x\" (<param>)");
}

SUSURRUS_TEST(many_small_parameters_take_no_more_memory_than_their_bytes_justify) {
  constexpr size_t kHostileBytes = 4 << 20;
  TennisBuilder builder;
  builder.nodes = {node("<const>", "c", {}, {parameter("value", int32_field({}, {1})), {"a", {}}}),
                   node("a", "b", {0})};
  builder.outputs = {0};
  const Bytes small = builder.build();
  /// With so many more pieces, counted at one mark, in front of another.
  const auto expect_limit = [&](size_t count_at, uint32_t count, size_t at, const Bytes& pieces) {
    Bytes file = small;
    store_le(&file[count_at], load_le<uint32_t>(&file[count_at]) + count);
    file.insert(file.begin() + static_cast<std::ptrdiff_t>(at), pieces.begin(), pieces.end());
    watch_bytes();
    const auto module = TennisModule::read(file);
    EXPECT_TRUE(most_bytes() <= (16 << 20) + 8 * file.size());
    // In WebAssembly records are half as large, so that the same file may be within the limit.
    if (sizeof(void*) < 8 && module.has_value()) return;
    ASSERT_TRUE(!module.has_value());
    EXPECT_EQ(error_code_name(module.error().code), "limit_exceeded");
    EXPECT_EQ(error_reason_name(module.error().reason), "limit");
    EXPECT_TRUE(module.error().subject.view().starts_with("node "));
    EXPECT_TRUE(module.error().offset != kNoOffset);
  };
  const auto repeated = [](uint32_t count, const Bytes& piece) {
    Bytes bytes;
    for (uint32_t i = 0; i < count; ++i) bytes.insert(bytes.end(), piece.begin(), piece.end());
    return bytes;
  };
  // Parameters of no tensors, each with a name of its own.
  Bytes parameter_bytes = {4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  uint32_t count = kHostileBytes / parameter_bytes.size();
  Bytes parameters = repeated(count, parameter_bytes);
  for (uint32_t i = 0; i < count; ++i) store_le(&parameters[12 * size_t{i} + 4], i);
  expect_limit(builder.marks["node 0"], count, builder.marks["node 0 arguments"], parameters);
  // Tensors of no elements.
  const Bytes field = {5, 1, 0, 0, 0, 0, 0, 0, 0};
  count = kHostileBytes / field.size();
  const size_t fields = builder.marks["node 0 a fields"];
  expect_limit(fields, count, fields + 4, repeated(count, field));
  // Nodes of nothing but a name.
  const Bytes one(small.begin() + static_cast<std::ptrdiff_t>(builder.marks["node 1"]),
                  small.end());
  count = static_cast<uint32_t>(kHostileBytes / one.size());
  expect_limit(builder.marks["nodes"], count, small.size(), repeated(count, one));
}

SUSURRUS_TEST(many_small_nodes_make_no_larger_graph_than_their_bytes_justify) {
  TennisBuilder builder;
  builder.nodes = {node("<param>", "x", {})};
  builder.inputs = {0};
  for (int32_t i = 0; i < 10000; ++i) builder.nodes.push_back(node("where", "b", {0, i, i}));
  builder.outputs = {10000};
  const auto module = TennisModule::read(builder.build());
  ASSERT_TRUE(module.has_value());
  const TennisFed fed{{}, ElementType::f32, {4}};
  const auto graph = module->graph({&fed, 1});
  ASSERT_TRUE(!graph.has_value());
  EXPECT_EQ(error_code_name(graph.error().code), "limit_exceeded");
  EXPECT_TRUE(graph.error().subject.view().starts_with("node "));
}

}  // namespace susurrus::testing::tennis_module_test
