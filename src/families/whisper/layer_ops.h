#pragma once
#include "families/whisper/resumable_op.h"
#include "families/whisper/state.h"
#include "families/whisper/weights.h"

namespace susurrus {

/// What scores of attention are multiplied with: 1 / sqrt(head_size).
float attention_scale(size_t head_size);

/// Makes the operations of a transformer layer from weights and places in a state. Vectors that are not f32 are expanded
/// when an operation is made, so only the latest one may be under way.
class LayerOps {
 public:
  /// `is_fine`: linear layers of quantised weights quantise activations to 14 bits or more.
  LayerOps(WhisperState& state, const KernelTable& kernels, bool is_fine)
      : state_(state), kernels_(kernels), is_fine_(is_fine) {}

  /// (rows, S) <- (rows, S)
  ResumableOp norm(const NormWeights& weights, size_t rows, const float* x, float* y) const;
  /// (rows, out) <- (rows, in) · (out, in)ᵀ; rows are contiguous, those of x unless `x_stride` says otherwise
  ResumableOp linear(const LinearWeights& weights, size_t rows, const float* x, float* y,
                     Epilogue epilogue = Epilogue::store, size_t x_stride = 0) const;
  /// (query_rows, S) <- (query_rows, S), (key_rows, S), (key_rows, S)
  ResumableOp attention(size_t heads, size_t query_rows, size_t key_rows, const float* q,
                        const float* k, const float* v, float* out) const;
  /// attention() with keys and values as integers.
  ResumableOp int8_attention(size_t heads, size_t query_rows, size_t key_rows, const float* q,
                             const Int8Kv& kv, float* out) const;
  /// int8_attention() to keys [first, first + count) of `key_rows` alone, at once and by plain code: for few query rows.
  ResumableOp int8_attention_within(size_t heads, size_t query_rows, size_t key_rows, size_t first,
                                    size_t count, const float* q, const Int8Kv& kv,
                                    float* out) const;
  /// Integers of (key_rows, S), (key_rows, S)
  ResumableOp quantize_kv(size_t heads, size_t key_rows, const float* k, const float* v,
                          const Int8Kv& kv) const;
  /// attention() in which query row i sees keys up to `offset` + i.
  ResumableOp causal_attention(size_t heads, size_t query_rows, size_t offset, const float* q,
                               const float* k, const float* v, float* out) const;
  /// attention() in which query row i sees own.shared rows of k and v, then `own_count` of its own.
  ResumableOp own_keys_attention(size_t heads, size_t query_rows, size_t own_count,
                                 const OwnKeys& own, const float* q, const float* k, const float* v,
                                 float* out) const;
  /// y += positions[position], at once
  void add_position(const TensorView& positions, size_t position, float* y) const;

 private:
  AttentionArgs attention_args(size_t heads, size_t query_rows, size_t key_rows, const float* q,
                               const float* k, const float* v, float* out) const;

  WhisperState& state_;
  const KernelTable& kernels_;
  bool is_fine_;
};

}  // namespace susurrus
