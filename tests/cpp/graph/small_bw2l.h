#pragma once
#include <initializer_list>
#include <string_view>
#include <vector>

#include "base/append.h"
#include "graph/bw2l/bw2l_network.h"

namespace susurrus::testing {

using Floats = std::vector<float>;

/// A BW2L file's layers, without a file around them.
struct Bw2lLayers {
  std::vector<uint8_t> file;
  Bw2lSection section;

  Bw2lLayers() {
    section.name = "layers";
    section.type = "layers";
  }

  template <typename T>
  Bw2lLayers& add(std::string_view line, Bw2lDtype dtype, const std::vector<std::vector<T>>& arrays,
                  float scale = 1, int64_t offset = 0) {
    Bw2lLayer& layer = section.layers.emplace_back();
    layer.arch = line;
    layer.scale = scale;
    layer.offset = offset;
    for (const auto& values : arrays) add_array(dtype, values);
    return *this;
  }
  Bw2lLayers& add(std::string_view line, const std::vector<Floats>& arrays = {}) {
    return add<float>(line, Bw2lDtype::fp32, arrays);
  }
  /// One more of the last layer.
  template <typename T>
  Bw2lLayers& add_array(Bw2lDtype dtype, const std::vector<T>& values) {
    section.layers.back().arrays.push_back({dtype, values.size(), 0, file.size()});
    for (const T value : values) append(file, value);
    return *this;
  }
  /// Arrays of ones.
  Bw2lLayers& add_sized(std::string_view line, std::initializer_list<size_t> counts);

  Result<Bw2lNetwork> compile(uint64_t features, uint64_t channels = 1, uint64_t labels = 0,
                              const KernelTable& kernels = default_kernels()) const;
  /// Runs one recording of frames × features × channels, frames adjacent; empty on failure.
  Floats run(uint64_t features, const Floats& input, const KernelTable& kernels = default_kernels(),
             uint64_t channels = 1) const;
};

}  // namespace susurrus::testing
