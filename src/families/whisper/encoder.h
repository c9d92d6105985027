#pragma once
#include <vector>

#include "families/whisper/layer_ops.h"

namespace susurrus {

/// Mel window to audio states, and the cross-attention keys and values that every decoder layer makes of them; in steps
/// of at most kStepMultiplyAdds.
///
///   x = gelu(conv2(gelu(conv1(mel)))) + positions
///   per layer: x += attention(norm(x));  x += mlp(norm(x))
///   x = norm(x);  per decoder layer: keys = x · Wkᵀ,  values = x · Wvᵀ + b
class Encoder {
 public:
  Encoder(const WhisperWeights& weights, WhisperState& state, const KernelTable& kernels);

  /// Starts on the first 2 · `positions` frames of the state's mel window, 1 ≤ positions ≤
  /// n_audio_ctx: the result equals that of a model with that many positions. The mel window stays.
  void begin(size_t positions);
  /// True when all is done (or nothing was begun). Nothing happens while it is_waiting().
  bool step();
  /// Whether what comes next needs weights that are not there: the encoder's own, or the decoder's after the last norm.
  bool is_waiting() const {
    if (!op_.is_done() || stage_ == Stage::idle || stage_ == Stage::complete) return false;
    return !(stage_ <= Stage::final_norm ? weights_.has_encoder : weights_.has_decoder);
  }
  /// Whether the state holds a window's audio states, its keys and values perhaps not yet.
  bool has_audio() const { return stage_ > Stage::final_norm && op_.is_done(); }
  /// Whether the state holds all of a window's results.
  bool is_complete() const { return stage_ == Stage::complete; }

 private:
  enum class Stage : uint8_t {
    idle,
    conv1,
    conv2,
    positions,
    attention_norm,
    key,
    value,
    kv,
    query,
    attention,
    attention_out,
    mlp_norm,
    mlp_up,
    mlp_down,
    final_norm,
    cross_key,
    cross_value,
    cross_kv,
    complete,
  };

  /// Activations in the state's memory. Rows of x, normed, k, v and q are S wide, those of wide memory 4 S.
  struct Buffers {
    float* x;
    float* normed;
    float* wide;
    float* k;
    float* v;
    float* q;
  };

  /// Makes the operation of the current stage and moves on to the next stage.
  ResumableOp next_op();
  Buffers buffers();
  ResumableOp front_op();
  ResumableOp attention_op(const EncoderLayerWeights& layer);
  ResumableOp mlp_op(const MlpWeights& mlp);
  /// The height of the current block of rows.
  size_t mlp_rows() const;
  ResumableOp cross_attention_op();
  void advance();
  /// Puts the padding's zeros after the frames that are encoded, or gives the mel window its rows back.
  void swap_padding();
  void enter_layer(size_t layer);
  void enter_cross_attention(size_t layer);

  const WhisperWeights& weights_;
  WhisperState& state_;
  const KernelTable& kernels_;
  LayerOps ops_;
  std::vector<float> padding_;  // a row, and what rows padded to whole blocks read after it
  Stage stage_ = Stage::idle;
  size_t layer_ = 0;
  size_t mlp_row_ = 0;
  ResumableOp op_;
};

}  // namespace susurrus
