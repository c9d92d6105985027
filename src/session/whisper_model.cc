#include "session/whisper_model.h"

#include <algorithm>
#include <string>
#include <utility>

#include "families/whisper/decoder.h"
#include "families/whisper/encoder.h"
#include "families/whisper/state.h"
#include "families/whisper/weights.h"

namespace susurrus {
namespace {

/// What models on the same weights share.
struct Frontend {
  LogMel log_mel;
  Tokenizer tokenizer;
};

class WhisperModelImpl final : public WhisperModel {
 public:
  WhisperModelImpl(std::unique_ptr<WeightStore> own_store, const WeightStore& store,
                   WhisperWeights weights, WhisperState state, std::shared_ptr<Frontend> frontend,
                   const KernelTable& kernels, bool is_beside = false)
      : own_store_(std::move(own_store)),
        store_(store),
        weights_(std::move(weights)),
        state_(std::move(state)),
        frontend_(std::move(frontend)),
        kernels_(kernels),
        is_beside_(is_beside),
        encoder_(weights_, state_, kernels_),
        decoder_(weights_, state_, kernels_) {}

  Result<std::unique_ptr<WhisperModel>> create_beside() override {
    if (!store_.is_verified()) return wrong_state("model", "a model that has arrived");
    SUSURRUS_ASSIGN_OR_RETURN(WhisperState state,
                              WhisperState::create(dimensions(), state_.plan().kv_layout));
    SUSURRUS_ASSIGN_OR_RETURN(WhisperWeights weights, WhisperWeights::find(store_, dimensions()));
    return std::unique_ptr<WhisperModel>(new WhisperModelImpl(
        nullptr, store_, std::move(weights), std::move(state), frontend_, kernels_, true));
  }

  const WhisperDimensions& dimensions() const override { return state_.dimensions(); }
  const WhisperMetadata& metadata() const override { return *store_.metadata().whisper(); }
  const Tokenizer& tokenizer() const override { return frontend_->tokenizer; }
  const KernelTable& kernels() const override { return kernels_; }
  LogMel& log_mel() override { return frontend_->log_mel; }
  MemoryPlan memory_plan() const override {
    return {is_beside_ ? 0 : store_.weight_byte_count(), state_.plan().kv_byte_count(),
            state_.plan().activation_byte_count(), decoder_.sequences().byte_count()};
  }

  std::span<float> mel_window() override {
    const size_t n_mels = dimensions().n_mels;
    return state_.activation(state_.plan().mel).subspan(n_mels, window_frames() * n_mels);
  }
  std::span<float> sample_window() override { return state_.activation(state_.plan().samples); }
  void begin_encode(size_t positions) override {
    SUSURRUS_CHECK(positions > 0 && positions <= dimensions().n_audio_ctx);
    decoder_.reset();
    encoder_.begin(positions);
    if (encoder_.is_waiting()) look_for_weights();
  }
  size_t encoded_positions() const override { return state_.encoded_positions(); }
  bool encode_step() override {
    const bool is_done = encoder_.step();
    if (encoder_.is_waiting()) look_for_weights();
    return is_done;
  }
  bool needs_weights() const override { return encoder_.is_waiting(); }
  bool is_encoded() const override { return encoder_.is_complete(); }
  std::span<const float> encoder_output() const override {
    if (!encoder_.has_audio()) return {};
    return state_.activation(state_.plan().audio)
        .first(encoded_positions() * dimensions().n_audio_state);
  }

  void reset_decoder() override { decoder_.reset(); }
  void reset_decoder_within(size_t first, size_t count) override {
    SUSURRUS_CHECK(count > 0 && first + count <= encoded_positions());
    decoder_.reset_within(first, count);
  }
  size_t decoder_position() const override { return decoder_.position(); }
  Status begin_decode(std::span<const uint32_t> tokens) override {
    const size_t room = dimensions().n_text_ctx - decoder_.position();
    SUSURRUS_RETURN_IF_ERROR(check_tokens(tokens, room));
    if (decoder_.sequences().length() > 0)
      return wrong_state("tokens", "sequences that have not parted");
    decoder_.begin(tokens);
    return ok_status();
  }
  bool decode_step() override { return decoder_.step(); }
  std::span<float> logits(size_t sequence) override { return decoder_.logits(sequence); }

  Status reserve_sequences(size_t count, size_t tokens_each) override {
    SUSURRUS_RETURN_IF_ERROR(check_range("sequences", count, 1, kMaxSequences));
    SUSURRUS_RETURN_IF_ERROR(
        check_range("tokens of a sequence", tokens_each, 0, dimensions().n_text_ctx));
    return decoder_.reserve_sequences(count, tokens_each);
  }
  void fork(std::span<const uint32_t> sources) override { decoder_.fork(sources); }
  Status begin_decode_each(std::span<const uint32_t> tokens) override {
    const SequenceCache& sequences = decoder_.sequences();
    SUSURRUS_RETURN_IF_ERROR(check_tokens(tokens, sequences.count()));
    SUSURRUS_CHECK(tokens.size() == sequences.count());
    size_t room = dimensions().n_text_ctx - decoder_.position();
    if (sequences.is_reserved()) {
      room = std::min(room, sequences.tokens_each() - sequences.length());
    }
    if (room == 0) return wrong_state("tokens", "room for another token");
    decoder_.begin_each(tokens);
    return ok_status();
  }

  Status begin_traced_decode(std::span<const uint32_t> tokens, DecoderTrace& trace) override {
    SUSURRUS_RETURN_IF_ERROR(check_tokens(tokens, dimensions().n_text_ctx));
    for (uint32_t layer : trace.layers) {
      if (layer < dimensions().n_text_layer) continue;
      return make_error(ErrorCode::invalid_argument, ErrorReason::option)
          .with_subject("layers")
          .with_expected("layers below " + std::to_string(dimensions().n_text_layer))
          .with_got(layer);
    }
    return decoder_.begin_traced(tokens, trace);
  }
  void begin_logits(std::span<const float> hidden, size_t rows) override {
    SUSURRUS_CHECK(rows <= kTraceLogitRows && hidden.size() >= rows * dimensions().n_text_state);
    decoder_.begin_logits(hidden.data(), rows);
  }
  void cross_scores(size_t layer, size_t head, std::span<const float> queries, size_t frames,
                    float* out) override {
    const WhisperDimensions& d = dimensions();
    SUSURRUS_CHECK(layer < d.n_text_layer && head < d.n_text_head && frames <= encoded_positions());
    decoder_.cross_scores(layer, head, queries.size() / d.n_text_state, queries.data(), frames,
                          out);
  }

 private:
  void look_for_weights() {
    auto found = WhisperWeights::find(store_, dimensions());
    // create() has checked them; they change in that they arrive.
    SUSURRUS_CHECK(found.has_value());
    weights_ = std::move(found).value();
  }
  static Error wrong_state(const char* subject, const char* expected) {
    return make_error(ErrorCode::wrong_state, ErrorReason::state)
        .with_subject(subject)
        .with_expected(expected);
  }
  static Status check_range(const char* subject, size_t value, size_t least, size_t most) {
    if (value >= least && value <= most) return ok_status();
    return make_error(ErrorCode::invalid_argument, ErrorReason::option)
        .with_subject(subject)
        .with_expected(std::to_string(least) + " to " + std::to_string(most))
        .with_got(value);
  }
  /// 1 to `room` of them, all in the vocabulary, after an encode.
  Status check_tokens(std::span<const uint32_t> tokens, size_t room) const {
    if (!encoder_.is_complete()) return wrong_state("tokens", "an encoded window");
    SUSURRUS_RETURN_IF_ERROR(check_range("tokens", tokens.size(), 1, room));
    for (uint32_t token : tokens) {
      if (token < dimensions().n_vocab) continue;
      return make_error(ErrorCode::invalid_argument, ErrorReason::option)
          .with_subject("tokens")
          .with_expected("ids below " + std::to_string(dimensions().n_vocab))
          .with_got(token);
    }
    return ok_status();
  }

 private:
  std::unique_ptr<WeightStore> own_store_;  // null if the caller owns the store
  const WeightStore& store_;
  WhisperWeights weights_;
  WhisperState state_;
  std::shared_ptr<Frontend> frontend_;
  const KernelTable& kernels_;
  bool is_beside_;  // the weights are another model's
  Encoder encoder_;
  Decoder decoder_;
};

/// Every control token must be a row of the embedding.
Status check_special_tokens(const SpecialTokens& tokens, uint32_t n_vocab) {
  if (tokens.end() <= n_vocab) return ok_status();
  return make_error(ErrorCode::malformed, ErrorReason::bad_vocabulary)
      .with_subject("n_vocab")
      .with_expected("room for the special tokens, " + std::to_string(tokens.end()) + " ids")
      .with_got(n_vocab);
}

/// `own`: the store itself, if the model is to own it.
Result<std::unique_ptr<WhisperModel>> make_model(WeightStore& store,
                                                 std::unique_ptr<WeightStore> own,
                                                 const KernelTable& kernels) {
  ModelMetadata& metadata = store.metadata();
  const WhisperMetadata& whisper = *metadata.whisper();
  const WhisperDimensions& dimensions = whisper.dimensions;
  SUSURRUS_ASSIGN_OR_RETURN(WhisperWeights weights, WhisperWeights::find(store, dimensions));

  Vocabulary vocabulary(std::move(metadata.vocabulary));
  SpecialTokens special =
      SpecialTokens::locate(vocabulary, dimensions.n_vocab, whisper.is_multilingual);
  SUSURRUS_RETURN_IF_ERROR(check_special_tokens(special, dimensions.n_vocab));
  Tokenizer tokenizer(std::move(vocabulary), std::move(special));

  SUSURRUS_ASSIGN_OR_RETURN(
      LogMel log_mel,
      LogMel::create(dimensions.n_mels, std::as_const(metadata.mel_filterbank).floats()));
  // LogMel has compacted the filterbank.
  metadata.mel_filterbank.reset();
  SUSURRUS_ASSIGN_OR_RETURN(
      WhisperState state,
      WhisperState::create(dimensions, weights.kv_layout(store.packed_layout())));
  auto frontend = std::make_shared<Frontend>(std::move(log_mel), std::move(tokenizer));
  return std::unique_ptr<WhisperModel>(new WhisperModelImpl(
      std::move(own), store, std::move(weights), std::move(state), std::move(frontend), kernels));
}

}  // namespace

Result<std::unique_ptr<WhisperModel>> WhisperModel::create_on(WeightStore& store,
                                                              const KernelTable& kernels) {
  return make_model(store, nullptr, kernels);
}

Result<std::unique_ptr<WhisperModel>> WhisperModel::create(WeightStore store,
                                                           const KernelTable& kernels) {
  auto own = std::make_unique<WeightStore>(std::move(store));
  own->set_verified();
  WeightStore& kept = *own;
  return make_model(kept, std::move(own), kernels);
}

}  // namespace susurrus
