#pragma once
#include <span>

#include "families/whisper/decoder_trace.h"
#include "families/whisper/layer_ops.h"
#include "families/whisper/sequence_cache.h"

namespace susurrus {

/// Tokens to logits, with a cache of self-attention keys and values; in steps of at most kStepMultiplyAdds. Cross-
/// attention looks at what the Encoder left in the state. Only reserving sequences and tracing allocate.
///
///   x = embedding[token] + positions[position]
///   per layer: x += attention(norm(x)), causal;  x += cross_attention(norm(x));  x += mlp(norm(x))
///   logits = norm(x) · embeddingᵀ
///
/// A pass that was not finished is forgotten when another begins.
class Decoder {
 public:
  Decoder(const WhisperWeights& weights, WhisperState& state, const KernelTable& kernels);

  /// The next tokens start at position 0, in one sequence.
  void reset();
  /// reset(), with cross-attention to encoded positions [first, first + count) alone until the next one.
  void reset_within(size_t first, size_t count);
  size_t position() const { return position_; }
  /// Starts a pass over `tokens`, which are copied: at least one, no more than the context still holds, each below
  /// n_vocab. Not after begin_each(), but for a lone sequence that was not reserved.
  void begin(std::span<const uint32_t> tokens);

  /// Memory for `count` sequences that read up to `tokens_each` tokens each after what they share. Tokens that sequences have
  /// read apart are forgotten, the position goes back to what they share.
  Status reserve_sequences(size_t count, size_t tokens_each);
  const SequenceCache& sequences() const { return sequences_; }
  /// Sequence i goes on from what was sequence sources[i].
  void fork(std::span<const uint32_t> sources);
  /// Starts a pass over one token of each sequence, while reserved tokens and context last.
  void begin_each(std::span<const uint32_t> tokens);

  /// Starts a pass from position 0 that fills `trace`, whose layers exist, instead of making logits. out_of_memory
  Status begin_traced(std::span<const uint32_t> tokens, DecoderTrace& trace);
  /// Starts on the logits of up to kTraceLogitRows rows that the last norm has left in a trace. The position stays.
  void begin_logits(const float* hidden, size_t rows);
  /// out[r, t] = q_r · k_t / sqrt(head size) of one head of a layer's cross-attention, t < `frames`, rows of S queries.
  void cross_scores(size_t layer, size_t head, size_t query_rows, const float* queries,
                    size_t frames, float* out) const;

  /// True when the pass is finished (or none was begun).
  bool step();
  /// The logits of a sequence's last token, or of a row of begin_logits(), after the pass.
  std::span<float> logits(size_t row = 0);

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
    finished,
  };
  enum class Pass : uint8_t {
    append,       // rows are tokens that follow each other
    each,         // rows are one token of each sequence
    trace,        // as append, with a trace instead of logits
    logits_only,  // hidden rows of a trace
  };

  void start(Pass pass, std::span<const uint32_t> tokens);
  void forget_pass();
  void finish();
  /// Activations in the state's memory; rows are S wide, hidden ones 4 S.
  struct Buffers {
    float* x;
    float* normed;
    float* query;
    float* hidden;
  };

  /// Makes the operation of the current stage and moves on to the next stage.
  ResumableOp next_op();
  Buffers buffers();
  ResumableOp embed();
  ResumableOp self_attention_op(const DecoderLayerWeights& layer);
  ResumableOp cross_attention_op(const DecoderLayerWeights& layer);
  ResumableOp cross_attention();
  ResumableOp mlp_op(const MlpWeights& mlp);
  void advance();
  void enter_layer(size_t layer);
  bool is_last_block() const { return block_first_ + block_rows_ == token_count_; }
  void next_block();
  ResumableOp self_attention(size_t rows, const float* query, float* out);
  float* new_keys();
  float* new_values();
  float* cross_queries();
  ResumableOp final_norm();

  const WhisperWeights& weights_;
  WhisperState& state_;
  const KernelTable& kernels_;
  LayerOps ops_;
  SequenceCache sequences_;
  Pass pass_ = Pass::append;
  Stage stage_ = Stage::idle;
  size_t position_ = 0;
  size_t token_count_ = 0;  // of this pass
  size_t block_first_ =
      0;  // the rows under way: tokens [block_first_, block_first_ + block_rows_) of this pass
  size_t block_rows_ = 0;
  size_t layer_ = 0;
  size_t audio_first_ = 0;  // encoded positions that cross-attention looks at
  size_t audio_count_ = 0;  // 0: all
  size_t own_first_ = 0;    // row of the first sequence's token in the cache of sequences
  DecoderTrace* trace_ = nullptr;
  const float* normed_ = nullptr;  // rows that logits are made of
  size_t logit_rows_ = 0;
  ResumableOp op_;
};

}  // namespace susurrus
