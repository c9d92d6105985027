#pragma once
#include "base/bytes.h"
#include "tensor/tensor_view.h"

namespace susurrus {

/// Rows of a panel, the unit of packing. Memory of a packed matrix has room for whole panels.
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
/// and room up to whole panels, `panel` is memory for kPackedRows packed rows, twice as many of floats. Returns the view of
/// the packed matrix.
using PackWeights = TensorView(const TensorView& weight, WeightLayout layout, MutableByteSpan bytes,
                               MutableByteSpan panel);

/// PackWeights for the next kPackedRows rows, from `rows` to their panel.
using PackRows = void(const TensorView& weight, WeightLayout layout, const uint8_t* rows,
                      uint8_t* panel);

/// Rescales a matrix of f16 weights in place (WeightLayout::rescaled_halves); false, and nothing changed, if it cannot.
using RescaleHalves = bool(MutableByteSpan halves);

/// Requested layout of weight matrices: the order of packed ones, and whether f16 weights are rescaled. By default as stored.
struct WeightPacking {
  WeightLayout layout = WeightLayout::rows;
  PackWeights* pack = nullptr;
  RescaleHalves* rescale = nullptr;
  PackRows* pack_rows = nullptr;
};

}  // namespace susurrus
