#include "graph/small_bw2l.h"

#include "graph/graph_run.h"
#include "harness.h"

namespace susurrus::testing {

Bw2lLayers& Bw2lLayers::add_sized(std::string_view line, std::initializer_list<size_t> counts) {
  std::vector<Floats> arrays;
  for (const size_t count : counts) arrays.emplace_back(count, 1.0F);
  return add(line, arrays);
}

Result<Bw2lNetwork> Bw2lLayers::compile(uint64_t features, uint64_t channels, uint64_t labels,
                                        const KernelTable& kernels) const {
  Bw2lModel model;
  model.sections.push_back(section);
  return compile_bw2l_network(model, file, {features, channels, labels, &kernels});
}

Floats Bw2lLayers::run(uint64_t features, const Floats& input, const KernelTable& kernels,
                       uint64_t channels) const {
  const auto network = compile(features, channels, 0, kernels);
  if (!network) {
    EXPECT_EQ(network.error().expected.view(), "");
    return {};
  }
  const Shape shape{1, channels, features, input.size() / features / channels};
  auto plan = make_plan(network->graph, {&shape, 1});
  if (!plan) return {};
  auto graph_run = GraphRun::make(network->graph, std::move(*plan), kernels);
  if (!EXPECT_TRUE(graph_run.has_value())) return {};
  graph_run->set_input(0, input.data());
  if (!EXPECT_TRUE(graph_run->run().has_value())) return {};
  const auto output = graph_run->output(0).as<float>();
  return {output.begin(), output.end()};
}

}  // namespace susurrus::testing
