#pragma once
#include <array>

#include "graph/graph.h"

namespace susurrus {

/// How frames of an activation come from frames of the network's input.
struct Bw2lTiming {
  /// The dimension that is time.
  uint32_t dim = 0;
  /// Input frames from one index to the next.
  double stride = 1;
  /// Index t depends on the input's frames t · stride + first … t · stride + last, if it does not on all of them or on their number.
  double first = 0;
  double last = 0;
  bool sees_all = false;
};

/// What flows between layers: a value of the graph, row-major [d3][d2][d1][d0], which is ArrayFire's (d0, d1, d2, d3).
struct Bw2lActivation {
  ValueId id = kNoValue;
  /// kAnyDim where it follows from the recording's length: of one at most.
  std::array<uint64_t, 4> dims{kAnyDim, 1, 1, 1};
  Bw2lTiming timing;
};

/// The axis of a value that is dimension `dim` of ArrayFire's.
inline int64_t axis_of_dim(uint32_t dim) { return 3 - int64_t{dim}; }

}  // namespace susurrus
