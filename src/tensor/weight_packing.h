#pragma once
#include "base/bytes.h"
#include "tensor/tensor_view.h"

namespace susurrus {

/// Matrices are packed by so many rows; memory for one has room for whole packs.
inline constexpr uint64_t kPackedRows = 8;

/// Rearranges a matrix of a block type in place. `bytes` holds its rows and room up to whole packs, `pack` is memory for
/// kPackedRows rows.
using PackWeights = void(const TensorView& weight, WeightLayout layout, MutableByteSpan bytes,
                         MutableByteSpan pack);

/// Raises a matrix of halves in place (WeightLayout::raised_halves); false where it cannot, and nothing changed.
using RaiseHalves = bool(MutableByteSpan halves);

/// How somebody wants matrices: those of the block types in which order, halves raised or not. By default as they are.
struct WeightPacking {
  WeightLayout layout = WeightLayout::rows;
  PackWeights* pack = nullptr;
  RaiseHalves* raise = nullptr;
};

}  // namespace susurrus
