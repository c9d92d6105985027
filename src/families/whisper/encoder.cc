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
  op_ = PacedOp();
}

bool Encoder::step() {
  run_step(op_, kernels_, [this] {
    if (stage_ == Stage::idle || stage_ == Stage::complete) return false;
    op_ = next_op();
    return true;
  });
  return (stage_ == Stage::idle || stage_ == Stage::complete) && op_.is_done();
}

PacedOp Encoder::next_op() {
  const WhisperDimensions& d = state_.dimensions();
  const StatePlan& plan = state_.plan();
  const size_t frames = state_.encoded_positions();
  const size_t width = d.n_audio_state;
  float* x = state_.activation(plan.audio).data();
  float* normed = state_.activation(plan.normed).data();
  float* wide = state_.activation(plan.wide).data();
  // Keys and values stay until they are integers, or until the attention is done.
  const bool has_byte_kv = state_.has_byte_kv();
  float* k = wide;
  float* v = wide + frames * width;
  float* q = has_byte_kv ? wide : wide + 2 * frames * width;
  const EncoderLayerWeights* layer =
      layer_ < weights_.encoder_layers.size() ? &weights_.encoder_layers[layer_] : nullptr;

  switch (stage_) {
    case Stage::conv1: {
      // One zero row on either side for conv2's padding.
      std::fill_n(wide, width, 0.0f);
      std::fill_n(wide + (2 * frames + 1) * width, width, 0.0f);
      swap_padding();
      stage_ = Stage::conv2;
      return ops_.linear(weights_.conv1, 2 * frames, state_.activation(plan.mel).data(),
                         wide + width, Epilogue::gelu, d.n_mels);
    }
    case Stage::conv2:
      swap_padding();
      stage_ = Stage::positions;
      return ops_.linear(weights_.conv2, frames, wide, x, Epilogue::gelu, 2 * width);
    case Stage::positions:
      for (size_t t = 0; t < frames; ++t) {
        ops_.add_position(weights_.encoder_positions, t, x + t * width);
      }
      enter_layer(0);
      return PacedOp::already_done(uint64_t{frames} * width);
    case Stage::attention_norm:
      stage_ = Stage::key;
      return ops_.norm(layer->norm, frames, x, normed);
    case Stage::key:
      stage_ = Stage::value;
      return ops_.linear(layer->attention.key, frames, normed, k);
    case Stage::value:
      stage_ = has_byte_kv ? Stage::kv : Stage::query;
      return ops_.linear(layer->attention.value, frames, normed, v);
    case Stage::kv:
      stage_ = Stage::query;
      return ops_.quantize_kv(d.n_audio_head, frames, k, v, state_.audio_kv());
    case Stage::query:
      stage_ = Stage::attention;
      return ops_.linear(layer->attention.query, frames, normed, q);
    case Stage::attention:
      stage_ = Stage::attention_out;
      if (has_byte_kv) {
        return ops_.byte_attention(d.n_audio_head, frames, frames, q, state_.audio_kv(), normed);
      }
      return ops_.attention(d.n_audio_head, frames, frames, q, k, v, normed);
    case Stage::attention_out:
      stage_ = Stage::mlp_norm;
      return ops_.linear(layer->attention.out, frames, normed, x, Epilogue::accumulate);
    case Stage::mlp_norm:
      mlp_row_ = 0;
      stage_ = Stage::mlp_up;
      return ops_.norm(layer->mlp.norm, frames, x, normed);
    case Stage::mlp_up: {
      size_t rows = std::min<size_t>(plan.mlp_rows, frames - mlp_row_);
      stage_ = Stage::mlp_down;
      return ops_.linear(layer->mlp.up, rows, normed + mlp_row_ * width, wide, Epilogue::gelu);
    }
    case Stage::mlp_down: {
      size_t first = mlp_row_;
      size_t rows = std::min<size_t>(plan.mlp_rows, frames - first);
      mlp_row_ += rows;
      if (mlp_row_ < frames) {
        stage_ = Stage::mlp_up;
      } else {
        enter_layer(layer_ + 1);
      }
      return ops_.linear(layer->mlp.down, rows, wide, x + first * width, Epilogue::accumulate);
    }
    case Stage::final_norm:
      enter_cross_attention(0);
      return ops_.norm(weights_.encoder_norm, frames, x, x);
    case Stage::cross_key:
      stage_ = Stage::cross_value;
      return ops_.linear(weights_.decoder_layers[layer_].cross_attention.key, frames, x,
                         has_byte_kv ? k : state_.cross_keys(layer_));
    case Stage::cross_value: {
      const size_t index = layer_;
      if (has_byte_kv) {
        stage_ = Stage::cross_kv;
      } else {
        enter_cross_attention(index + 1);
      }
      return ops_.linear(weights_.decoder_layers[index].cross_attention.value, frames, x,
                         has_byte_kv ? v : state_.cross_values(index));
    }
    case Stage::cross_kv: {
      const ByteKv kv = state_.cross_kv(layer_);
      enter_cross_attention(layer_ + 1);
      return ops_.quantize_kv(d.n_text_head, frames, k, v, kv);
    }
    case Stage::idle:
    case Stage::complete: break;
  }
  return PacedOp();
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
