// Operators that take long are done in steps, each of some milliseconds.
#include <algorithm>
#include <numeric>

#include "graph/graph_run.h"
#include "harness.h"

namespace susurrus::testing::steps_test {
namespace {

/// x through one operator.
Graph one_node(std::string_view op, const Shape& shape, std::initializer_list<Attribute> attributes,
               size_t output_count) {
  GraphBuilder builder;
  const ValueId x = builder.add_input("x", ElementType::f32, shape);
  const ValueId y =
      *builder.add(op, {&x, 1}, {attributes.begin(), attributes.size()}, output_count);
  std::vector<ValueId> outputs(output_count);
  std::iota(outputs.begin(), outputs.end(), y);
  auto graph = builder.finish(outputs);
  SUSURRUS_CHECK(graph.has_value());
  return std::move(*graph);
}

GraphRun run_of(const Graph& graph, const Shape& shape) {
  auto plan = make_plan(graph, {&shape, 1});
  SUSURRUS_CHECK(plan.has_value());
  auto run = GraphRun::make(graph, std::move(*plan));
  SUSURRUS_CHECK(run.has_value());
  return std::move(*run);
}

/// The least step there is.
uint64_t cost_of_a_step(const Graph& graph, const Shape& shape) {
  const auto plan = make_plan(graph, {&shape, 1});
  SUSURRUS_CHECK(plan.has_value());
  const Work& work = plan->steps[0].work;
  return work.cost / work.items;
}

/// As small as they can be. Returns how many there were.
size_t run_in_steps(GraphRun& run) {
  run.begin();
  for (size_t count = 1;; ++count) {
    const auto is_done = run.step(1);
    SUSURRUS_CHECK(is_done.has_value());
    if (*is_done) return count;
  }
}

/// Two of them are equal now and then.
std::vector<float> unsorted(size_t count) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i * 7919 % 1013) - 500;
  return values;
}

}  // namespace

SUSURRUS_TEST(one_long_row_is_sorted_and_summed_up_in_steps) {
  const Shape row{uint64_t{1} << 24};
  const Graph top = one_node("top", row, {{"count", int64_t{1} << 23}}, 2);
  EXPECT_TRUE(cost_of_a_step(top, row) <= 1 << 18);
  const Graph sum = one_node("running_sum", row, {}, 1);
  EXPECT_TRUE(cost_of_a_step(sum, row) <= 1 << 18);
}

SUSURRUS_TEST(the_greatest_of_rows_are_the_same_in_steps) {
  const Shape shape{2, 700, 3};
  const std::vector<float> x = unsorted(2 * 700 * 3);
  for (const bool is_largest : {true, false}) {
    for (const size_t count : {size_t{0}, size_t{1}, size_t{5}, size_t{699}, size_t{700}}) {
      const Graph graph = one_node("top", shape,
                                   {{"axis", int64_t{1}},
                                    {"largest", int64_t{is_largest}},
                                    {"count", static_cast<int64_t>(count)}},
                                   2);
      GraphRun run = run_of(graph, shape);
      run.set_input(0, x.data());
      EXPECT_TRUE(run_in_steps(run) > 3 || count == 0);
      for (size_t line = 0; line < 6; ++line) {
        const auto place = [&](size_t length, size_t i) {
          return line / 3 * 3 * length + i * 3 + line % 3;
        };
        std::vector<size_t> order(700);
        std::iota(order.begin(), order.end(), size_t{0});
        std::ranges::stable_sort(order, [&](size_t a, size_t b) {
          return is_largest ? x[place(700, a)] > x[place(700, b)]
                            : x[place(700, a)] < x[place(700, b)];
        });
        bool are_right = true;
        for (size_t i = 0; i < count; ++i) {
          const size_t to = place(count, i);
          are_right = are_right &&
                      run.output(1).as<int64_t>()[to] == static_cast<int64_t>(order[i]) &&
                      run.output(0).f32()[to] == x[place(700, order[i])];
        }
        EXPECT_TRUE(are_right);
      }
    }
  }
}

SUSURRUS_TEST(sums_of_rows_are_the_same_in_steps) {
  const Shape shape{2, 2500, 2};
  const std::vector<float> x = unsorted(2 * 2500 * 2);
  for (const bool is_reverse : {false, true}) {
    const Graph graph =
        one_node("running_sum", shape, {{"axis", int64_t{1}}, {"reverse", int64_t{is_reverse}}}, 1);
    GraphRun run = run_of(graph, shape);
    run.set_input(0, x.data());
    EXPECT_TRUE(run_in_steps(run) > 2);
    bool are_right = true;
    for (size_t line = 0; line < 4; ++line) {
      float sum = 0;
      for (size_t i = 0; i < 2500; ++i) {
        const size_t place = line / 2 * 5000 + (is_reverse ? 2499 - i : i) * 2 + line % 2;
        sum += x[place];
        are_right = are_right && run.output(0).f32()[place] == sum;
      }
    }
    EXPECT_TRUE(are_right);
  }
}

}  // namespace susurrus::testing::steps_test
