#pragma once
#include <span>

#include "whisper/layer_ops.h"

namespace susurrus {

/// Tokens to logits, with a cache of self-attention keys and values; in steps of at most kStepMultiplyAdds. Cross-
/// attention looks at what the Encoder left in the state. Allocates nothing.
///
///   x = embedding[token] + positions[position]
///   per layer: x += attention(norm(x)), causal;  x += cross_attention(norm(x));  x += mlp(norm(x))
///   logits = norm(x of the last token) · embeddingᵀ
class Decoder {
 public:
  Decoder(const WhisperWeights& weights, WhisperState& state, const KernelTable& kernels);

  /// The next tokens start at position 0.
  void reset();
  size_t position() const { return position_; }
  /// Starts a pass over `tokens`, which are copied: at least one, no more than the context still holds, each below
  /// n_vocab. A pass that was not finished is forgotten.
  void begin(std::span<const uint32_t> tokens);
  /// True when the pass is finished (or none was begun).
  bool step();
  /// Of the last token of the last finished pass.
  std::span<float> logits() { return state_.activation(state_.plan().logits); }

 private:
  enum class Stage : uint8_t {
    idle,
    embed,
    self_norm,
    self_query,
    self_key,
    self_value,
    self_attention,
    self_out,
    cross_norm,
    cross_query,
    cross_attention,
    cross_out,
    mlp_norm,
    mlp_up,
    mlp_down,
    final_norm,
    logits,
  };

  PacedOp next_op();
  void embed(float* x);
  void leave_layer();

  const WhisperWeights& weights_;
  WhisperState& state_;
  const KernelTable& kernels_;
  LayerOps ops_;
  Stage stage_ = Stage::idle;
  size_t position_ = 0;
  size_t token_count_ = 0;  // of this pass
  size_t block_first_ =
      0;  // the rows under way: tokens [block_first_, block_first_ + block_rows_) of this pass
  size_t block_rows_ = 0;
  size_t layer_ = 0;
  PacedOp op_;
};

}  // namespace susurrus
