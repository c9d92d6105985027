#pragma once
#include <optional>

#include "graph/bw2l/bw2l_layer.h"

namespace susurrus {

/// The int8 array of a matrix of products, (out, in) in ArrayFire's order, as packed rows that hold its very integers: [out, in].
/// Nothing for arrays of other types, for matrices that are too small to gain, and for a scale or an offset so large that f32
/// arithmetic is needed. out_of_memory; malformed where the file does not hold the array.
Result<std::optional<OwnedTensor>> pack_int8_matrix(const Bw2lLine& line,
                                                    const Bw2lWeights& weights, uint64_t in,
                                                    uint64_t out);

/// x · (scale · (q − offset)): the products with the integers, less offset times the sum of x's row, and then scaled in f32. The
/// scale of packed blocks, an f16, could not hold it.
Result<ValueId> multiply_int8(Bw2lLine& line, ValueId x, OwnedTensor matrix,
                              const Bw2lLayer& layer);

}  // namespace susurrus
