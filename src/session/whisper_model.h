#pragma once
#include <memory>
#include <span>

#include "audio/log_mel.h"
#include "base/result.h"
#include "families/whisper/decoder_trace.h"
#include "kernels/kernel_table.h"
#include "session/engine.h"
#include "tensor/weight_store.h"
#include "text/tokenizer.h"

namespace susurrus {

/// A Whisper model ready to compute: weights, planned state, tokenizer tables, mel frontend. Driven in bounded steps,
/// so that JavaScript may stop between them. One computation at a time; starting another replaces it.
class WhisperModel : public Engine {
 public:
  /// `store` outlives the model, which takes its metadata. It may still be filled, from the time on when it can_begin(). Missing
  /// or misshapen tensors are reported by name.
  static Result<std::unique_ptr<WhisperModel>> create_on(WeightStore& store,
                                                         const KernelTable& kernels);
  /// create_on() for the store of a finished load, which the model takes over.
  static Result<std::unique_ptr<WhisperModel>> create(WeightStore store,
                                                      const KernelTable& kernels);
  /// Another model on the same weights, with a state of its own, so that it computes between this one's steps; this one must
  /// outlive it. Its memory plan has no weights. out_of_memory as an error; wrong_state while weights are missing.
  virtual Result<std::unique_ptr<WhisperModel>> create_beside() = 0;
  /// The engine as a Whisper; null if it is of another family.
  static WhisperModel* of(Engine* engine);

  const char* family_name() const final;
  void write_facts(JsonWriter& json) const final;
  Result<std::unique_ptr<Recognition>> begin(JsonValue options,
                                             std::optional<uint64_t> sample_count,
                                             JsonValue state) final;
  Result<std::unique_ptr<LiveRecognition>> begin_live(JsonValue options) final;

  virtual const WhisperDimensions& dimensions() const = 0;
  virtual const WhisperMetadata& metadata() const = 0;
  virtual const Tokenizer& tokenizer() const = 0;
  const Vocabulary& vocabulary() const { return tokenizer().vocabulary(); }
  const SpecialTokens& special_tokens() const { return tokenizer().special(); }
  virtual const KernelTable& kernels() const = 0;
  virtual LogMel& log_mel() = 0;

  /// Mel frames of one window: 2 * n_audio_ctx.
  size_t window_frames() const { return 2 * size_t{dimensions().n_audio_ctx}; }

  /// The planned buffer for one window of normalised log-mel, time-major [window_frames, n_mels]. Fill it, then encode.
  virtual std::span<float> mel_window() = 0;
  /// Planned memory for the samples of one window and its margins: window_frames() * 160 + 400 floats. Shares its place
  /// with the activations: encode_step() and decoding overwrite it.
  virtual std::span<float> sample_window() = 0;
  /// Starts the encoder on the first 2 * `positions` frames of mel_window(), 1 to n_audio_ctx positions, including the
  /// cross-attention keys and values of every decoder layer. Decoding attends to those positions only.
  virtual void begin_encode(size_t positions) = 0;
  /// The whole window.
  void begin_encode() { begin_encode(dimensions().n_audio_ctx); }
  /// Positions of the last encoding, or of the one under way; n_audio_ctx before any.
  virtual size_t encoded_positions() const = 0;
  /// One bounded piece of work; true when the window is encoded. Does nothing while it needs_weights().
  virtual bool encode_step() = 0;
  /// Whether the encoding under way waits for weights: for those of the encoder, and then, with encoder_output() there, for the
  /// verified whole, since keys and values are made with weights of the decoder.
  virtual bool needs_weights() const = 0;
  /// [encoded_positions, n_audio_state] of the last window encoded; empty before.
  virtual std::span<const float> encoder_output() const = 0;
  /// Whether the decoder can begin.
  virtual bool is_encoded() const = 0;

  /// Clears the self-attention cache: the next decode() starts at position 0.
  virtual void reset_decoder() = 0;
  /// reset_decoder(), after an encode; up to the next one, and to the next encode, passes attend to encoded positions
  /// [first, first + count) alone: what they say is about that part of the window.
  virtual void reset_decoder_within(size_t first, size_t count) = 0;
  /// Positions in the self-attention cache.
  virtual size_t decoder_position() const = 0;
  /// Appends `tokens` (1 up to what n_text_ctx still holds; ids below n_vocab) in one pass and gives the logits
  /// [n_vocab] of the last one, unfiltered; writable, since filters work in place. wrong_state before an encode.
  Result<std::span<float>> decode(std::span<const uint32_t> tokens) {
    SUSURRUS_RETURN_IF_ERROR(begin_decode(tokens));
    while (!decode_step()) {
    }
    return logits();
  }
  /// decode() in bounded pieces: begin_decode(), decode_step() until it returns true, then
  /// logits().
  virtual Status begin_decode(std::span<const uint32_t> tokens) = 0;
  virtual bool decode_step() = 0;
  /// The logits of the sequence's last token, after the pass that read it.
  virtual std::span<float> logits(size_t sequence = 0) = 0;

  /// Beam search and several samples at once: takes memory for up to `count` sequences (1 to 64) that share what has been
  /// read so far by reset_decoder() and begin_decode(), and go on for up to `tokens_each` tokens. 1 gives the memory back.
  /// Afterwards there is one sequence; what sequences read apart before is forgotten, and the position is the end of what
  /// they shared. out_of_memory leaves everything as it was. Not while a pass is under way.
  virtual Status reserve_sequences(size_t count, size_t tokens_each) = 0;
  /// From here on there are sources.size() sequences; the i-th continues what was sequence sources[i] (all 0 after a
  /// prompt). Permutes index tables: keys and values stay where they are. Logits are not carried over.
  virtual void fork(std::span<const uint32_t> sources) = 0;
  /// Appends one token to each sequence, all in one pass over the weights; decode_step() until it says true. The bits of a
  /// sequence's logits may depend on how many others there are (an order of sums), its error bounds do not.
  /// wrong_state before an encode, and where the context or `tokens_each` are used up; begin_decode() is wrong_state from
  /// here to the next reset_decoder() or reserve_sequences(), unless no sequences are reserved.
  virtual Status begin_decode_each(std::span<const uint32_t> tokens) = 0;

  /// A pass over `tokens` from position 0, in one sequence, that keeps in `trace` what word alignment and scoring look at,
  /// and takes the memory for it (out_of_memory); the trace must live until the pass has ended. decode_step() until it says
  /// true. logits() are not computed.
  virtual Status begin_traced_decode(std::span<const uint32_t> tokens, DecoderTrace& trace) = 0;
  /// Logits of `rows` normed hidden rows (rows, n_text_state) of a trace, which must live until they are made; at most
  /// kTraceLogitRows: decode_step() until it says true, then logits(0 … rows - 1). The decoder's position stays.
  virtual void begin_logits(std::span<const float> hidden, size_t rows) = 0;
  /// Attention scores before the softmax: out[r, t] = q_r · k_t / sqrt(head size), r < queries.size() / n_text_state,
  /// t < `frames` encoder positions (at most the encoded ones), of one head; `queries` as a trace keeps them. Bounded
  /// work is up to the caller.
  virtual void cross_scores(size_t layer, size_t head, std::span<const float> queries,
                            size_t frames, float* out) = 0;
};

}  // namespace susurrus
