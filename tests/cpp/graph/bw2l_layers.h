#pragma once
#include "base/append.h"
#include "graph/bw2l/bw2l_network.h"
#include "graph/graph_run.h"
#include "harness.h"

namespace susurrus::testing {

using Floats = std::vector<float>;

/// A file's layers, without a file around them.
struct Layers {
  std::vector<uint8_t> file;
  Bw2lSection section;

  Layers() {
    section.name = "layers";
    section.type = "layers";
  }

  template <typename T>
  Layers& add(std::string_view line, Bw2lDtype dtype, const std::vector<std::vector<T>>& arrays,
              float scale = 1, int64_t offset = 0) {
    Bw2lLayer& layer = section.layers.emplace_back();
    layer.arch = line;
    layer.scale = scale;
    layer.offset = offset;
    for (const auto& values : arrays) {
      layer.arrays.push_back({dtype, values.size(), 0, file.size()});
      for (const T value : values) append(file, value);
    }
    return *this;
  }
  Layers& add(std::string_view line, const std::vector<Floats>& arrays = {}) {
    return add<float>(line, Bw2lDtype::fp32, arrays);
  }
  /// Arrays of ones.
  Layers& add_sized(std::string_view line, std::initializer_list<size_t> counts) {
    std::vector<Floats> arrays;
    for (const size_t count : counts) arrays.emplace_back(count, 1.0F);
    return add(line, arrays);
  }

  Result<Bw2lNetwork> compile(uint64_t features, uint64_t channels = 1, uint64_t labels = 0) const {
    Bw2lModel model;
    model.sections.push_back(section);
    return compile_bw2l_network(model, file, {features, channels, labels});
  }
};

/// Of one recording of frames × features × channels, frames adjacent; empty where it fails.
inline Floats run_layers(const Layers& layers, uint64_t features, const Floats& input,
                         uint64_t channels = 1) {
  const auto network = layers.compile(features, channels);
  if (!network) {
    EXPECT_EQ(network.error().expected.view(), "");
    return {};
  }
  const Shape shape{1, channels, features, input.size() / features / channels};
  auto plan = make_plan(network->graph, {&shape, 1});
  if (!plan) return {};
  auto graph_run = GraphRun::make(network->graph, std::move(*plan));
  if (!EXPECT_TRUE(graph_run.has_value())) return {};
  graph_run->set_input(0, input.data());
  if (!EXPECT_TRUE(graph_run->run().has_value())) return {};
  const auto output = graph_run->output(0).as<float>();
  return {output.begin(), output.end()};
}

}  // namespace susurrus::testing
