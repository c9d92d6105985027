#include "session/whisper_model.h"

#include <utility>

#include "whisper/decoder.h"
#include "whisper/encoder.h"
#include "whisper/state.h"
#include "whisper/weights.h"

namespace susurrus {
namespace {

class WhisperModelImpl final : public WhisperModel {
 public:
  WhisperModelImpl(WeightStore store, WhisperWeights weights, WhisperState state, LogMel log_mel,
                   Tokenizer tokenizer, const KernelTable& kernels)
      : store_(std::move(store)),
        weights_(std::move(weights)),
        state_(std::move(state)),
        log_mel_(std::move(log_mel)),
        tokenizer_(std::move(tokenizer)),
        kernels_(kernels),
        encoder_(weights_, state_, kernels_),
        decoder_(weights_, state_, kernels_) {}

  const WhisperDimensions& dimensions() const override { return state_.dimensions(); }
  const ModelMetadata& metadata() const override { return store_.metadata(); }
  const Tokenizer& tokenizer() const override { return tokenizer_; }
  const KernelTable& kernels() const override { return kernels_; }
  LogMel& log_mel() override { return log_mel_; }
  MemoryPlan memory_plan() const override {
    return {store_.weight_byte_count(), state_.plan().kv_byte_count(),
            state_.plan().activation_byte_count()};
  }

  std::span<float> mel_window() override {
    const size_t n_mels = dimensions().n_mels;
    return state_.activation(state_.plan().mel).subspan(n_mels, window_frames() * n_mels);
  }
  std::span<float> sample_window() override { return state_.activation(state_.plan().samples); }
  void begin_encode() override {
    decoder_.reset();
    encoder_.begin();
  }
  bool encode_step() override { return encoder_.step(); }
  std::span<const float> encoder_output() const override {
    if (!encoder_.is_complete()) return {};
    return state_.activation(state_.plan().audio);
  }

  void reset_decoder() override { decoder_.reset(); }
  size_t decoder_position() const override { return decoder_.position(); }
  Status begin_decode(std::span<const uint32_t> tokens) override {
    if (!encoder_.is_complete()) {
      return make_error(ErrorCode::wrong_state, ErrorReason::state)
          .about("tokens")
          .expecting("an encoded window");
    }
    const size_t room = dimensions().n_text_ctx - decoder_.position();
    if (tokens.empty() || tokens.size() > room) {
      return make_error(ErrorCode::invalid_argument, ErrorReason::option)
          .about("tokens")
          .expecting("1 to " + std::to_string(room) + " tokens")
          .having(tokens.size());
    }
    for (uint32_t token : tokens) {
      if (token < dimensions().n_vocab) continue;
      return make_error(ErrorCode::invalid_argument, ErrorReason::option)
          .about("tokens")
          .expecting("ids below " + std::to_string(dimensions().n_vocab))
          .having(token);
    }
    decoder_.begin(tokens);
    return ok_status();
  }
  bool decode_step() override { return decoder_.step(); }
  std::span<float> logits(size_t) override { return decoder_.logits(); }

  Status reserve_sequences(size_t, size_t) override { return ok_status(); }
  void fork(std::span<const uint32_t>) override {}
  Status begin_decode_each(std::span<const uint32_t> tokens) override {
    return begin_decode(tokens);
  }
  Status begin_traced_decode(std::span<const uint32_t>, DecoderTrace&) override {
    return make_error(ErrorCode::wrong_state, ErrorReason::state).about("trace");
  }
  void begin_logits(std::span<const float>, size_t) override {}
  void cross_scores(size_t, size_t, std::span<const float>, size_t, float*) override {}

 private:
  WeightStore store_;
  WhisperWeights weights_;
  WhisperState state_;
  LogMel log_mel_;
  Tokenizer tokenizer_;
  const KernelTable& kernels_;
  Encoder encoder_;
  Decoder decoder_;
};

/// Every control token must be a row of the embedding.
Status check_special_tokens(const SpecialTokens& tokens, uint32_t n_vocab) {
  if (tokens.end() <= n_vocab) return ok_status();
  return make_error(ErrorCode::malformed, ErrorReason::bad_vocabulary)
      .about("n_vocab")
      .expecting("room for the special tokens, " + std::to_string(tokens.end()) + " ids")
      .having(n_vocab);
}

}  // namespace

Result<std::unique_ptr<WhisperModel>> WhisperModel::create(WeightStore store,
                                                           const KernelTable& kernels) {
  ModelMetadata& metadata = store.metadata();
  const WhisperDimensions& dimensions = metadata.dimensions;
  SUSURRUS_TRY(check_computable(dimensions));
  SUSURRUS_ASSIGN(WhisperWeights weights, WhisperWeights::find(store, dimensions));

  Vocabulary vocabulary(std::move(metadata.vocabulary));
  SpecialTokens special =
      SpecialTokens::locate(vocabulary, dimensions.n_vocab, metadata.is_multilingual);
  SUSURRUS_TRY(check_special_tokens(special, dimensions.n_vocab));
  Tokenizer tokenizer(std::move(vocabulary), std::move(special));

  SUSURRUS_ASSIGN(LogMel log_mel, LogMel::create(dimensions.n_mels,
                                                 std::as_const(metadata.mel_filterbank).floats()));
  // LogMel has compacted the filterbank.
  metadata.mel_filterbank.reset();
  SUSURRUS_ASSIGN(WhisperState state, WhisperState::create(dimensions));
  return std::unique_ptr<WhisperModel>(new WhisperModelImpl(std::move(store), std::move(weights),
                                                            std::move(state), std::move(log_mel),
                                                            std::move(tokenizer), kernels));
}

}  // namespace susurrus
