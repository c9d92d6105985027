#pragma once
#include "whisper/paced_op.h"
#include "whisper/state.h"
#include "whisper/weights.h"

namespace susurrus {

/// Makes the operations of a transformer layer from weights and places in a state. Vectors that are not f32 are expanded
/// when an operation is made, so only the latest one may be under way.
class LayerOps {
 public:
  LayerOps(WhisperState& state, const KernelTable& kernels) : state_(state), kernels_(kernels) {}

  /// (rows, S) <- (rows, S)
  PacedOp norm(const NormWeights& weights, size_t rows, const float* x, float* y) const;
  /// (rows, out) <- (rows, in) · (out, in)ᵀ, all rows contiguous
  PacedOp linear(const LinearWeights& weights, size_t rows, const float* x, float* y,
                 Epilogue epilogue = Epilogue::store) const;
  /// (query_rows, S) <- (query_rows, S), (key_rows, S), (key_rows, S)
  PacedOp attention(size_t heads, size_t query_rows, size_t key_rows, const float* q,
                    const float* k, const float* v, float* out) const;
  /// The same where query row i sees keys up to `offset` + i.
  PacedOp causal_attention(size_t heads, size_t query_rows, size_t offset, const float* q,
                           const float* k, const float* v, float* out) const;
  /// y[r] += positions[first + r]
  void add_positions(const TensorView& positions, size_t first, size_t rows, float* y) const;

 private:
  WhisperState& state_;
  const KernelTable& kernels_;
};

}  // namespace susurrus
