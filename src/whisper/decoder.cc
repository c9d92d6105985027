#include "whisper/decoder.h"

#include <algorithm>

namespace susurrus {

Decoder::Decoder(const WhisperWeights& weights, WhisperState& state, const KernelTable& kernels)
    : weights_(weights), state_(state), kernels_(kernels), ops_(state, kernels) {}

void Decoder::reset() {
  position_ = 0;
  stage_ = Stage::idle;
  op_ = PacedOp();
}

void Decoder::begin(std::span<const uint32_t> tokens) {
  std::copy(tokens.begin(), tokens.end(), state_.tokens().begin());
  token_count_ = tokens.size();
  block_first_ = 0;
  stage_ = Stage::embed;
  op_ = PacedOp();
}

bool Decoder::step() {
  uint64_t spent = 0;
  while (kStepMultiplyAdds - spent >= kStepMultiplyAdds / 4) {
    if (op_.is_done()) {
      if (stage_ == Stage::idle) return true;
      op_ = next_op();
    }
    spent += op_.run_piece(kernels_, kStepMultiplyAdds - spent);
    if (spent > kStepMultiplyAdds) break;
  }
  return stage_ == Stage::idle && op_.is_done();
}

PacedOp Decoder::next_op() {
  const WhisperDimensions& d = state_.dimensions();
  const StatePlan& plan = state_.plan();
  const size_t width = d.n_text_state;
  const size_t rows = block_rows_;
  const size_t offset = position_ + block_first_;
  float* x = state_.activation(plan.text).data();
  float* normed = state_.activation(plan.text_normed).data();
  float* query = state_.activation(plan.text_query).data();
  float* hidden = state_.activation(plan.text_hidden).data();
  const DecoderLayerWeights* layer =
      layer_ < weights_.decoder_layers.size() ? &weights_.decoder_layers[layer_] : nullptr;

  switch (stage_) {
    case Stage::embed:
      embed(x);
      layer_ = 0;
      stage_ = Stage::self_norm;
      if (weights_.decoder_layers.empty()) leave_layer();
      return PacedOp();
    case Stage::self_norm:
      stage_ = Stage::self_query;
      return ops_.norm(layer->norm, rows, x, normed);
    case Stage::self_query:
      stage_ = Stage::self_key;
      return ops_.linear(layer->attention.query, rows, normed, query);
    case Stage::self_key:
      stage_ = Stage::self_value;
      return ops_.linear(layer->attention.key, rows, normed,
                         state_.self_keys(layer_) + offset * width);
    case Stage::self_value:
      stage_ = Stage::self_attention;
      return ops_.linear(layer->attention.value, rows, normed,
                         state_.self_values(layer_) + offset * width);
    case Stage::self_attention:
      stage_ = Stage::self_out;
      return ops_.causal_attention(d.n_text_head, rows, offset, query, state_.self_keys(layer_),
                                   state_.self_values(layer_), normed);
    case Stage::self_out:
      stage_ = Stage::cross_norm;
      return ops_.linear(layer->attention.out, rows, normed, x, Epilogue::accumulate);
    case Stage::cross_norm:
      stage_ = Stage::cross_query;
      return ops_.norm(layer->cross_norm, rows, x, normed);
    case Stage::cross_query:
      stage_ = Stage::cross_attention;
      return ops_.linear(layer->cross_attention.query, rows, normed, query);
    case Stage::cross_attention:
      stage_ = Stage::cross_out;
      return ops_.attention(d.n_text_head, rows, d.n_audio_ctx, query, state_.cross_keys(layer_),
                            state_.cross_values(layer_), normed);
    case Stage::cross_out:
      stage_ = Stage::mlp_norm;
      return ops_.linear(layer->cross_attention.out, rows, normed, x, Epilogue::accumulate);
    case Stage::mlp_norm:
      stage_ = Stage::mlp_up;
      return ops_.norm(layer->mlp.norm, rows, x, normed);
    case Stage::mlp_up:
      stage_ = Stage::mlp_down;
      return ops_.linear(layer->mlp.up, rows, normed, hidden, Epilogue::gelu);
    case Stage::mlp_down:
      leave_layer();
      return ops_.linear(layer->mlp.down, rows, hidden, x, Epilogue::accumulate);
    case Stage::final_norm:
      stage_ = Stage::logits;
      return ops_.norm(weights_.decoder_norm, 1, x + (rows - 1) * width, normed);
    case Stage::logits:
      stage_ = Stage::idle;
      position_ += token_count_;
      return ops_.linear({weights_.token_embedding, {}}, 1, normed, logits().data());
    case Stage::idle: break;
  }
  return PacedOp();
}

void Decoder::embed(float* x) {
  const size_t width = state_.dimensions().n_text_state;
  block_rows_ = std::min(kDecoderBlockRows, token_count_ - block_first_);
  for (size_t r = 0; r < block_rows_; ++r) {
    uint32_t token = state_.tokens()[block_first_ + r];
    kernels_.dequantize_row(weights_.token_embedding.dtype, weights_.token_embedding.row(token),
                            width, x + r * width);
  }
  ops_.add_positions(weights_.decoder_positions, position_ + block_first_, block_rows_, x);
}

void Decoder::leave_layer() {
  if (++layer_ < weights_.decoder_layers.size()) {
    stage_ = Stage::self_norm;
    return;
  }
  if (block_first_ + block_rows_ < token_count_) {
    // Later rows need of these only the keys and values. (block_rows_ stays until embed(), as the operation needs it.)
    block_first_ += block_rows_;
    stage_ = Stage::embed;
  } else {
    stage_ = Stage::final_norm;
  }
}

}  // namespace susurrus
