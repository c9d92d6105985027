// Every layer of BW2L on drawn shapes, beside what PyTorch makes of it.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "graph/bw2l_layer_cases.h"
#include "graph/small_bw2l.h"
#include "harness.h"

namespace susurrus::testing::bw2l_layers_test {
namespace {

/// -1 to 1, or 0.5 to 1.5, as scripts/reference/python/bw2l_layers.py draws them.
Floats drawn(uint32_t seed, size_t count, bool is_positive) {
  uint32_t state = seed;
  Floats values(count);
  for (float& value : values) {
    state = state * 1664525 + 1013904223;
    const double number = (static_cast<double>((state >> 8) % 2001) - 1000) / 1000;
    value = static_cast<float>(is_positive ? std::fabs(number) + 0.5 : number);
  }
  return values;
}

/// What is wrong, in the unit of the tolerance.
double largest_difference(const Bw2lLayerCase& one) {
  Bw2lLayers layers;
  for (const auto& layer : one.layers) {
    std::vector<Floats> arrays;
    for (uint32_t i = 0; i < layer.sizes.size(); ++i) {
      arrays.push_back(drawn(layer.seed + i + 1, layer.sizes[i], (layer.positive >> i & 1) != 0));
    }
    layers.add(layer.line, arrays);
  }
  const auto [frames, features, channels] = one.dims;
  const Floats input = drawn(one.seed, size_t{frames} * features * channels, one.is_positive);
  const Floats got = layers.run(features, input, default_kernels(), channels);
  if (got.size() != one.count) return HUGE_VAL;
  double sum = 0;
  double largest = 0;
  const size_t step = std::max<size_t>(1, got.size() / 12);
  for (size_t i = 0; i < got.size(); ++i) {
    sum += static_cast<double>(got[i]);
    if (i % step != 0) continue;
    const double wanted = one.results[i / step];
    const double difference = std::fabs(static_cast<double>(got[i]) - wanted);
    largest = std::max(largest, difference / std::max(1.0, std::fabs(wanted)));
  }
  return std::max(largest, std::fabs(sum - one.sum) / static_cast<double>(got.size()));
}

}  // namespace

SUSURRUS_TEST(bw2l_layers_are_those_of_pytorch) {
  EXPECT_TRUE(std::size(kBw2lLayerCases) >= 60);
  for (const Bw2lLayerCase& one : kBw2lLayerCases) {
    const double difference = largest_difference(one);
    if (EXPECT_TRUE(difference < 2e-5)) continue;
    for (const auto& layer : one.layers) std::printf("    %s\n", layer.line);
    std::printf("    differs by %g\n", difference);
  }
}

}  // namespace susurrus::testing::bw2l_layers_test
