#pragma once
#include "graph/tennis/tennis_nodes.h"
#include "graph/tensor.h"

namespace susurrus {

/// Adds f32 weights as whole numbers of 16 bits with a scale for each row and, where `is_fine`, what is left of them in 8 bits
/// with another. A row is all that belongs to an index of the first dimension greater than one. Returns the node whose result
/// are the weights, in f32.
uint32_t add_packed_weights(TennisNodes& nodes, std::string_view name, const OwnedTensor& tensor,
                            bool is_fine);

}  // namespace susurrus
