#include "families/whisper/encoder.h"

#include <algorithm>

namespace susurrus {

Encoder::Encoder(const WhisperWeights& weights, WhisperState& state, const KernelTable& kernels)
    : weights_(weights),
      state_(state),
      kernels_(kernels),
      ops_(state, kernels, false),
      padding_(state.dimensions().n_mels + kBlockValues) {}

void Encoder::begin(size_t positions) {
  state_.set_encoded_positions(positions);
  // An encoding that was given up may have left a row of its mel window here.
  std::ranges::fill(padding_, 0.0f);
  stage_ = Stage::conv1;
  layer_ = 0;
  mlp_row_ = 0;
  op_ = ResumableOp();
}

bool Encoder::step() {
  run_step(op_, kernels_, [this] {
    if (stage_ == Stage::idle || stage_ == Stage::complete || is_waiting()) return false;
    op_ = next_op();
    return true;
  });
  return (stage_ == Stage::idle || stage_ == Stage::complete) && op_.is_done();
}

ResumableOp Encoder::next_op() {
  ResumableOp op;
  if (stage_ <= Stage::positions) {
    op = front_op();
  } else if (stage_ <= Stage::attention_out) {
    op = attention_op(weights_.encoder_layers[layer_]);
  } else if (stage_ <= Stage::mlp_down) {
    op = mlp_op(weights_.encoder_layers[layer_].mlp);
  } else {
    op = cross_attention_op();
  }
  advance();
  return op;
}

/// Wide memory holds keys, then values; both stay until they are integers, or until the attention is done.
Encoder::Buffers Encoder::buffers() {
  const StatePlan& plan = state_.plan();
  const size_t plane = state_.encoded_positions() * state_.dimensions().n_audio_state;
  float* wide = state_.activation(plan.wide).data();
  return {.x = state_.activation(plan.audio).data(),
          .normed = state_.activation(plan.normed).data(),
          .wide = wide,
          .k = wide,
          .v = wide + plane,
          .q = state_.has_int8_kv() ? wide : wide + 2 * plane};
}

/// Convolutions and positions: mel window → x.
ResumableOp Encoder::front_op() {
  const size_t frames = state_.encoded_positions();
  const size_t width = state_.dimensions().n_audio_state;
  const size_t n_mels = state_.dimensions().n_mels;
  const Buffers b = buffers();
  if (stage_ == Stage::conv1) {
    // One zero row on either side for conv2's padding.
    std::fill_n(b.wide, width, 0.0f);
    std::fill_n(b.wide + (2 * frames + 1) * width, width, 0.0f);
    swap_padding();
    return ops_.linear(weights_.conv1, 2 * frames, state_.activation(state_.plan().mel).data(),
                       b.wide + width, Epilogue::gelu, n_mels);
  }
  if (stage_ == Stage::conv2) {
    swap_padding();
    return ops_.linear(weights_.conv2, frames, b.wide, b.x, Epilogue::gelu, 2 * width);
  }
  for (size_t t = 0; t < frames; ++t) {
    ops_.add_position(weights_.encoder_positions, t, b.x + t * width);
  }
  return ResumableOp::already_done(uint64_t{frames} * width);
}

/// x += self-attention of x
ResumableOp Encoder::attention_op(const EncoderLayerWeights& layer) {
  const size_t frames = state_.encoded_positions();
  const size_t heads = state_.dimensions().n_audio_head;
  const AttentionWeights& weights = layer.attention;
  const Buffers b = buffers();
  switch (stage_) {
    case Stage::attention_norm: return ops_.norm(layer.norm, frames, b.x, b.normed);
    case Stage::key: return ops_.linear(weights.key, frames, b.normed, b.k);
    case Stage::value: return ops_.linear(weights.value, frames, b.normed, b.v);
    case Stage::kv: return ops_.quantize_kv(heads, frames, b.k, b.v, state_.audio_kv());
    case Stage::query: return ops_.linear(weights.query, frames, b.normed, b.q);
    case Stage::attention:
      if (state_.has_int8_kv()) {
        return ops_.int8_attention(heads, frames, frames, b.q, state_.audio_kv(), b.normed);
      }
      return ops_.attention(heads, frames, frames, b.q, b.k, b.v, b.normed);
    default: return ops_.linear(weights.out, frames, b.normed, b.x, Epilogue::accumulate);
  }
}

/// x += MLP of x, for as many rows at a time as wide memory holds.
ResumableOp Encoder::mlp_op(const MlpWeights& mlp) {
  const size_t width = state_.dimensions().n_audio_state;
  const Buffers b = buffers();
  if (stage_ == Stage::mlp_norm) {
    return ops_.norm(mlp.norm, state_.encoded_positions(), b.x, b.normed);
  }
  const size_t first = mlp_row_ * width;
  if (stage_ == Stage::mlp_up) {
    return ops_.linear(mlp.up, mlp_rows(), b.normed + first, b.wide, Epilogue::gelu);
  }
  return ops_.linear(mlp.down, mlp_rows(), b.wide, b.x + first, Epilogue::accumulate);
}

size_t Encoder::mlp_rows() const {
  return std::min<size_t>(state_.plan().mlp_rows, state_.encoded_positions() - mlp_row_);
}

/// The last norm, then keys and values of x for each layer of the decoder.
ResumableOp Encoder::cross_attention_op() {
  const size_t frames = state_.encoded_positions();
  const Buffers b = buffers();
  if (stage_ == Stage::final_norm) return ops_.norm(weights_.encoder_norm, frames, b.x, b.x);
  const AttentionWeights& weights = weights_.decoder_layers[layer_].cross_attention;
  const bool has_int8_kv = state_.has_int8_kv();
  if (stage_ == Stage::cross_key) {
    return ops_.linear(weights.key, frames, b.x, has_int8_kv ? b.k : state_.cross_keys(layer_));
  }
  if (stage_ == Stage::cross_value) {
    return ops_.linear(weights.value, frames, b.x, has_int8_kv ? b.v : state_.cross_values(layer_));
  }
  return ops_.quantize_kv(state_.dimensions().n_text_head, frames, b.k, b.v,
                          state_.cross_kv(layer_));
}

/// Stages follow each other in the order of their names, but for loops and what only integers need.
void Encoder::advance() {
  switch (stage_) {
    case Stage::positions: return enter_layer(0);
    case Stage::value: stage_ = state_.has_int8_kv() ? Stage::kv : Stage::query; return;
    case Stage::mlp_norm: mlp_row_ = 0; break;
    case Stage::mlp_down:
      mlp_row_ += mlp_rows();
      if (mlp_row_ == state_.encoded_positions()) return enter_layer(layer_ + 1);
      stage_ = Stage::mlp_up;
      return;
    case Stage::final_norm: return enter_cross_attention(0);
    case Stage::cross_value:
      if (!state_.has_int8_kv()) return enter_cross_attention(layer_ + 1);
      break;
    case Stage::cross_kv: return enter_cross_attention(layer_ + 1);
    default: break;
  }
  stage_ = static_cast<Stage>(static_cast<uint8_t>(stage_) + 1);
}

void Encoder::swap_padding() {
  const size_t row = 2 * state_.encoded_positions() + 1;
  std::ranges::swap_ranges(padding_,
                           state_.activation(state_.plan().mel)
                               .subspan(row * state_.dimensions().n_mels, padding_.size()));
}

void Encoder::enter_layer(size_t layer) {
  layer_ = layer;
  stage_ = layer < weights_.encoder_layers.size() ? Stage::attention_norm : Stage::final_norm;
}

void Encoder::enter_cross_attention(size_t layer) {
  layer_ = layer;
  stage_ = layer < weights_.decoder_layers.size() ? Stage::cross_key : Stage::complete;
}

}  // namespace susurrus
