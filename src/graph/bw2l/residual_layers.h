#pragma once
#include "graph/bw2l/bw2l_layer.h"

namespace susurrus {

/// A layer of the file: where it stands, for errors.
struct Bw2lPlace {
  size_t layer = 0;
  uint64_t offset = 0;
};

/// One layer, a line or those of a residual block, after `x`. `lines` have been checked to be one.
Result<Bw2lActivation> compile_bw2l_lines(Bw2lBuild& build, Bw2lPlace place,
                                          std::span<const std::string_view> lines,
                                          std::span<Bw2lWeights> weights, Bw2lActivation x);

}  // namespace susurrus
