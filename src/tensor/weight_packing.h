#pragma once
#include "base/bytes.h"
#include "tensor/tensor_view.h"

namespace susurrus {

/// Matrices are packed by so many rows; memory for one has room for whole packs.
inline constexpr size_t kPackedRows = 8;

/// `weight` as it is when packed: floats become q8_0, and their rows zeros up to whole blocks.
inline TensorView packed_view(TensorView weight) {
  if (is_block_dtype(weight.dtype)) return weight;
  const uint64_t block = dtype_traits(Dtype::q8_0).elements_per_block;
  weight.dtype = Dtype::q8_0;
  weight.shape = Shape({weight.shape[0], (weight.shape[1] + block - 1) / block * block});
  return weight;
}

/// Rearranges a matrix in place, of a block type, or of floats if packed_view()'s rows are no longer. `bytes` holds its rows
/// and room up to whole packs, `pack` is memory for kPackedRows packed rows, twice as many of floats. Says what it has become.
using PackWeights = TensorView(const TensorView& weight, WeightLayout layout, MutableByteSpan bytes,
                               MutableByteSpan pack);

/// The same for the next kPackedRows rows, from `rows` to their pack.
using PackRows = void(const TensorView& weight, WeightLayout layout, const uint8_t* rows,
                      uint8_t* pack);

/// Rescales a matrix of halves in place (WeightLayout::rescaled_halves); false where it cannot, and nothing changed.
using RescaleHalves = bool(MutableByteSpan halves);

/// How somebody wants matrices: those of the block types in which order, halves rescaled or not. By default as they are.
struct WeightPacking {
  WeightLayout layout = WeightLayout::rows;
  PackWeights* pack = nullptr;
  RescaleHalves* rescale = nullptr;
  PackRows* pack_rows = nullptr;
};

}  // namespace susurrus
