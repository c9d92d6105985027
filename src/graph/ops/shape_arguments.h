#pragma once
#include <array>
#include <vector>

#include "graph/operator.h"

namespace susurrus {

/// The elements of an input that must be known before the graph runs, such as a requested shape.
Result<std::vector<int64_t>> known_integers(const Inference& inference, size_t input);

/// Every axis, from the end where negative, once. Kernels ask it too, and may not allocate.
Result<std::array<bool, limits::kMaxDims>> marked_axes(std::span<const int64_t> axes, size_t rank);

}  // namespace susurrus
