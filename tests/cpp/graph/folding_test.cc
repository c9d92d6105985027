// What is made of constants alone is worked out once, as far as that takes no long time and little memory.
#include "graph/graph.h"
#include "graph/graph_run.h"
#include "graph/plan.h"
#include "harness.h"

namespace susurrus::testing {
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
  // Each product takes 2^27 multiplications, as all of them may when the graph is planned.
  const Graph graph = products_of_constants(512, 12);
  // 7 of them, with their sums, took what the graph's making may take.
  EXPECT_EQ(graph.nodes.size(), size_t{12 + 2 * 5});
  const Shape shape{1};
  const auto plan = make_plan(graph, {&shape, 1});
  ASSERT_TRUE(plan.has_value());
  EXPECT_TRUE(plan->cost >= uint64_t{2} << 27);
  EXPECT_EQ(run_on(graph, 1), 1 + 12 * 512);
}

}  // namespace susurrus::testing
