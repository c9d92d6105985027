// What is made of constants alone is worked out once, as far as that takes no long time and little memory.
#include <limits>

#include "graph/graph.h"
#include "graph/graph_run.h"
#include "graph/plan.h"
#include "harness.h"

namespace susurrus::testing::folding_test {
namespace {

OwnedTensor filled(const Shape& shape, float value) {
  auto tensor = OwnedTensor::allocate(ElementType::f32, shape, "test");
  SUSURRUS_CHECK(tensor.has_value());
  for (float& one : tensor->view().as<float>()) one = value;
  return std::move(*tensor);
}

/// x plus the sum of a product of two matrices of ones, of `size` squared, `count` times.
Graph products_of_constants(uint64_t size, size_t count) {
  GraphBuilder builder;
  const ValueId x = builder.add_input("x", ElementType::f32, Shape{1});
  ValueId y = x;
  for (size_t i = 0; i < count; ++i) {
    const ValueId a = builder.add_constant("a", filled({size, size}, 1));
    const ValueId b = builder.add_constant("b", filled({size, size}, 1));
    const ValueId product = *builder.add("matmul", std::array{a, b});
    const Attribute all{"keep_dims", int64_t{0}};
    const ValueId sum = *builder.add("reduce_mean", {&product, 1}, {&all, 1});
    y = *builder.add("add", std::array{y, sum});
  }
  auto graph = builder.finish({y});
  SUSURRUS_CHECK(graph.has_value());
  return std::move(*graph);
}

float run_on(const Graph& graph, float x) {
  const Shape shape{1};
  auto plan = make_plan(graph, {&shape, 1});
  SUSURRUS_CHECK(plan.has_value());
  auto run = GraphRun::make(graph, std::move(*plan));
  SUSURRUS_CHECK(run.has_value());
  run->set_input(0, &x);
  EXPECT_TRUE(run->run().has_value());
  return run->output(0).f32()[0];
}

}  // namespace

SUSURRUS_TEST(a_little_work_on_constants_is_done_once) {
  const Graph graph = products_of_constants(16, 3);
  EXPECT_EQ(graph.nodes.size(), size_t{3});
  EXPECT_EQ(run_on(graph, 1), 1 + 3 * 16);
}

SUSURRUS_TEST(much_work_on_constants_is_left_to_the_run) {
  // Each product takes nearly 2^25 multiplications, and the graph's making may take 2^28, as its planning may.
  const Graph graph = products_of_constants(320, 20);
  // 8 of them, with their sums, took what the graph's making may take.
  EXPECT_EQ(graph.nodes.size(), size_t{20 + 2 * 12});
  const Shape shape{1};
  const auto plan = make_plan(graph, {&shape, 1});
  ASSERT_TRUE(plan.has_value());
  EXPECT_TRUE(plan->cost >= uint64_t{4} * 320 * 320 * 320);
  EXPECT_EQ(run_on(graph, 1), 1 + 20 * 320);
}

SUSURRUS_TEST(what_takes_long_for_its_elements_is_left_to_the_run) {
  // The greatest 2^20 of 2^21 take a second, and a function of the C library as long as many multiplications.
  GraphBuilder builder;
  const ValueId x = builder.add_constant("x", filled({uint64_t{1} << 21}, 1));
  const Attribute count{"count", int64_t{1} << 20};
  const auto top = builder.add("top", {&x, 1}, {&count, 1}, 2);
  ASSERT_TRUE(top.has_value());
  EXPECT_TRUE(builder.constant(*top) == nullptr);
  for (const std::string_view name : {"exp", "erf", "power", "gelu"}) {
    const Operand operand{ElementType::f32, {1000}};
    const Operator* op = find_operator(name);
    const std::array operands{operand, operand};
    const auto attributes = Attributes::match(op->attributes, {});
    Inference::Output output;
    Inference inference{std::span(operands).first(op->least_inputs), *attributes, {&output, 1}, {}};
    ASSERT_TRUE(op->infer(inference).has_value());
    EXPECT_EQ(inference.work.cost, uint64_t{16000});
  }
}

SUSURRUS_TEST(an_input_whose_elements_cannot_be_counted_is_refused_where_it_is_used) {
  // Unchecked, 4 × (2^63 − 1) and 2^62 × 4 elements wrap to 2^64 − 4 and 0, and 0 would count as a
  // known value.
  for (const Shape& shape : {Shape{4, (uint64_t{1} << 63) - 1}, Shape{uint64_t{1} << 62, 4}}) {
    GraphBuilder builder;
    const ValueId x = builder.add_input("x", ElementType::f32, shape);
    const auto sum = builder.add("add", std::array{x, x});
    ASSERT_TRUE(!sum.has_value());
    EXPECT_EQ(sum.error().code, ErrorCode::limit_exceeded);
    EXPECT_TRUE(sum.error().subject.view().ends_with("input"));
  }
}

SUSURRUS_TEST(a_power_beyond_all_integers_is_the_nearest_one) {
  GraphBuilder builder;
  const std::array<int64_t, 4> bases{10, -10, -10, 2};
  const std::array<int64_t, 4> exponents{400, 400, 401, 10};
  const ValueId base = *builder.add_integers("base", bases);
  const ValueId exponent = *builder.add_integers("exponent", exponents);
  const auto power = builder.add("power", std::array{base, exponent});
  ASSERT_TRUE(power.has_value());
  const auto values = builder.constant(*power)->view().as<int64_t>();
  EXPECT_EQ(values[0], std::numeric_limits<int64_t>::max());
  EXPECT_EQ(values[1], std::numeric_limits<int64_t>::max());
  EXPECT_EQ(values[2], std::numeric_limits<int64_t>::min());
  EXPECT_EQ(values[3], 1024);
}

SUSURRUS_TEST(pads_of_any_number_are_refused) {
  for (const int64_t pad :
       {std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()}) {
    GraphBuilder builder;
    const ValueId x = builder.add_input("x", ElementType::f32, Shape{2});
    const std::vector<int64_t> pads{pad, 0};
    const Attribute attribute{"pads", pads};
    const auto padded = builder.add("pad", {&x, 1}, {&attribute, 1});
    ASSERT_TRUE(padded.has_value());
    auto graph = builder.finish({*padded});
    ASSERT_TRUE(graph.has_value());
    const Shape shape{2};
    const auto plan = make_plan(*graph, {&shape, 1});
    ASSERT_TRUE(!plan.has_value());
    EXPECT_TRUE(plan.error().subject.view().ends_with("pads"));
  }
}

}  // namespace susurrus::testing::folding_test
