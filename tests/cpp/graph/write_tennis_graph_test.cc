// Graphs as TenniS modules: what is read back gives what the graph gave.
#include "graph/tennis/write_tennis_graph.h"

#include <cmath>
#include <cstring>

#include "graph/graph_run.h"
#include "graph/tennis/tennis_module.h"
#include "harness.h"
#include "stream/output_buffer.h"

namespace susurrus::testing::write_tennis_graph_test {
namespace {

/// Drawn values between -1 and 1, the same in every run.
OwnedTensor drawn(const Shape& shape) {
  OwnedTensor tensor = OwnedTensor::allocate(ElementType::f32, shape, "test").value();
  uint32_t state = 1;
  for (float& value : tensor.view().as<float>()) {
    state = state * 1664525 + 1013904223;
    value = static_cast<float>(state >> 8) / 8388608.0F - 1;
  }
  return tensor;
}

std::vector<std::vector<float>> run(const Graph& graph) {
  std::vector<Shape> shapes;
  std::vector<OwnedTensor> fed;
  for (const ValueId id : graph.inputs) {
    shapes.push_back(*graph.values[id].shape);
    fed.push_back(drawn(shapes.back()));
  }
  auto plan = make_plan(graph, shapes);
  if (!EXPECT_TRUE(plan.has_value())) return {};
  auto made = GraphRun::make(graph, std::move(*plan));
  for (size_t i = 0; i < fed.size(); ++i) made->set_input(i, fed[i].buffer.data());
  if (!EXPECT_TRUE(made->run().has_value())) return {};
  std::vector<std::vector<float>> outputs;
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    const auto values = made->output(i).as<float>();
    outputs.emplace_back(values.begin(), values.end());
  }
  return outputs;
}

/// Written, read back and run; `largest` is how far the results may be from those of the graph itself.
void expect_same(const Graph& graph, TennisWeights weights, double largest) {
  OutputBuffer file;
  ASSERT_TRUE(write_tennis_graph(graph, weights, file).has_value());
  OutputBuffer again;
  ASSERT_TRUE(write_tennis_graph(graph, weights, again).has_value());
  EXPECT_TRUE(as_text(file.bytes()) == as_text(again.bytes()));
  const auto module = TennisModule::read(file.bytes());
  ASSERT_TRUE(module.has_value());
  EXPECT_TRUE(module->unsupported().empty());
  std::vector<TennisFed> fed;
  for (const ValueId id : graph.inputs) {
    const GraphValue& input = graph.values[id];
    fed.push_back({input.name, input.type, *input.shape});
  }
  const auto read = module->graph(fed);
  if (!read) std::printf("    %s\n", std::string(read.error().subject.view()).c_str());
  ASSERT_TRUE(read.has_value());
  const auto wanted = run(graph);
  const auto got = run(*read);
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    ASSERT_EQ(got[i].size(), wanted[i].size());
    for (size_t k = 0; k < wanted[i].size(); ++k) EXPECT_NEAR(got[i][k], wanted[i][k], largest);
  }
}

/// Builds one node after the other and keeps the last.
struct Chain {
  GraphBuilder builder;
  ValueId last = kNoValue;

  explicit Chain(const Shape& shape) {
    builder.at("node", 0);
    last = builder.add_input("x", ElementType::f32, shape);
  }
  Chain& add(std::string_view op, std::vector<ValueId> others = {},
             std::vector<Attribute> attributes = {}) {
    others.insert(others.begin(), last);
    const auto made = builder.add(op, others, attributes);
    if (!made) std::printf("    %s\n", std::string(made.error().subject.view()).c_str());
    if (EXPECT_TRUE(made.has_value())) last = *made;
    return *this;
  }
  ValueId weights(const Shape& shape) { return builder.add_constant("w", drawn(shape)); }
  ValueId list(std::vector<int64_t> values) { return *builder.add_integers("list", values); }
  Graph finish() { return builder.finish({last}).value(); }
};

std::vector<int64_t> numbers(std::initializer_list<int64_t> values) { return values; }

}  // namespace

SUSURRUS_TEST(tennis_graphs_have_convolutions_of_one_dimension_and_two) {
  Chain one({1, 12, 9});
  const ValueId w = one.weights({16, 12, 3});
  const ValueId bias = one.weights({16});
  one.add("convolution", {w, bias},
          {{"strides", numbers({2})}, {"dilations", numbers({2})}, {"pads", numbers({1, 3})}});
  one.add("relu");
  expect_same(one.finish(), TennisWeights::f32, 1e-6);

  Chain two({2, 6, 5, 7});
  const ValueId kernel = two.weights({6, 1, 3, 2});
  two.add("convolution", {kernel},
          {{"strides", numbers({1, 2})}, {"pads", numbers({1, 0, 2, 1})}, {"groups", int64_t{6}}});
  expect_same(two.finish(), TennisWeights::f32, 1e-6);
}

SUSURRUS_TEST(tennis_graphs_mirror_and_repeat_what_they_pad_with) {
  for (const int64_t mode : {0, 1, 2}) {
    Chain chain({2, 5, 6});
    chain.add("pad", {}, {{"mode", mode}, {"pads", numbers({0, 1, 3, 0, 2, 4})}});
    expect_same(chain.finish(), TennisWeights::f32, 0);
  }
}

SUSURRUS_TEST(tennis_graphs_slice_gather_join_and_average) {
  Chain chain({3, 4, 5});
  const ValueId begins = chain.list({1, -4});
  const ValueId ends = chain.list({100, 5});
  const ValueId axes = chain.list({0, -1});
  chain.add("slice", {begins, ends, axes});
  const ValueId index = chain.list({3, 0});
  chain.add("gather", {index}, {{"axis", int64_t{1}}});
  chain.add("concat", {chain.last}, {{"axis", int64_t{2}}});
  chain.add("reduce_mean", {}, {{"axes", numbers({2, 1})}, {"keep_dims", int64_t{0}}});
  OwnedTensor two = drawn({});
  two.view().f32()[0] = 2;
  const ValueId exponent = chain.builder.add_constant("two", std::move(two));
  chain.add("power", {exponent}).add("sqrt").add("sigmoid");
  expect_same(chain.finish(), TennisWeights::f32, 1e-6);
}

SUSURRUS_TEST(tennis_graphs_have_lstms_with_all_their_results) {
  GraphBuilder builder;
  builder.at("lstm", 0);
  std::vector<ValueId> inputs = {builder.add_input("x", ElementType::f32, Shape{3, 1, 8})};
  for (const Shape& shape : {Shape{1, 64, 8}, Shape{1, 64, 16}, Shape{1, 128}}) {
    inputs.push_back(builder.add_constant("w", drawn(shape)));
  }
  inputs.push_back(builder.add_input("h", ElementType::f32, Shape{1, 1, 16}));
  inputs.push_back(builder.add_input("c", ElementType::f32, Shape{1, 1, 16}));
  const auto first = builder.add("lstm", inputs, {}, 3);
  ASSERT_TRUE(first.has_value());
  const Graph graph = builder.finish({*first, *first + 1, *first + 2}).value();
  expect_same(graph, TennisWeights::f32, 1e-6);
  // 16 bits: half a step of 1/32767 for each of 24 products, of which the gates' slopes take most.
  expect_same(graph, TennisWeights::packed, 24.0 / 65534);
}

SUSURRUS_TEST(packed_weights_of_tennis_graphs_have_24_bits) {
  Chain chain({1, 40});
  const ValueId w = chain.weights({40, 40});
  chain.add("matmul", {w});
  const Graph graph = chain.finish();
  expect_same(graph, TennisWeights::packed, 40.0 / (65534.0 * 254) + 2e-6);
  OutputBuffer plain;
  OutputBuffer packed;
  ASSERT_TRUE(write_tennis_graph(graph, TennisWeights::f32, plain).has_value());
  ASSERT_TRUE(write_tennis_graph(graph, TennisWeights::packed, packed).has_value());
  // 4 bytes or 3 of 1,600 weights; scales, and what tells how they are put together.
  EXPECT_TRUE(packed.bytes().size() + 1600 < plain.bytes().size() + 1200);
}

SUSURRUS_TEST(what_tennis_has_no_words_for_is_refused_by_name) {
  Chain steps({1, 6});
  const ValueId begins = steps.list({0});
  const ValueId ends = steps.list({6});
  const ValueId axes = steps.list({1});
  const ValueId two = steps.list({2});
  steps.add("slice", {begins, ends, axes, two});
  OutputBuffer file;
  const auto refused = write_tennis_graph(steps.finish(), TennisWeights::f32, file);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::unsupported_feature);
  EXPECT_TRUE(refused.error().subject.view() == "node: steps");

  Chain unknown({1, 6});
  unknown.add("elu");
  const auto other = write_tennis_graph(unknown.finish(), TennisWeights::f32, file);
  ASSERT_FALSE(other.has_value());
  EXPECT_EQ(other.error().code, ErrorCode::unsupported_operator);
  EXPECT_TRUE(other.error().subject.view() == "node: elu");
  EXPECT_TRUE(file.bytes().empty());
}

}  // namespace susurrus::testing::write_tennis_graph_test
