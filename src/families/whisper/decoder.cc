#include "families/whisper/decoder.h"

#include <algorithm>
#include <utility>

#include "kernels/packed_weights/packed_weights.h"

namespace susurrus {

Decoder::Decoder(const WhisperWeights& weights, WhisperState& state, const KernelTable& kernels)
    : weights_(weights), state_(state), kernels_(kernels), ops_(state, kernels, true) {}

void Decoder::reset() { reset_within(0, 0); }

void Decoder::reset_within(size_t first, size_t count) {
  forget_pass();
  sequences_.clear();
  position_ = 0;
  audio_first_ = first;
  audio_count_ = count;
}

void Decoder::forget_pass() {
  stage_ = Stage::idle;
  op_ = ResumableOp();
}

Status Decoder::reserve_sequences(size_t count, size_t tokens_each) {
  const size_t apart = sequences_.length();
  SUSURRUS_RETURN_IF_ERROR(sequences_.reserve(state_.dimensions(), count, tokens_each));
  forget_pass();
  position_ -= apart;
  return ok_status();
}

void Decoder::fork(std::span<const uint32_t> sources) {
  forget_pass();
  sequences_.fork(sources);
}

void Decoder::start(Pass pass, std::span<const uint32_t> tokens) {
  std::copy(tokens.begin(), tokens.end(), state_.tokens().begin());
  pass_ = pass;
  token_count_ = tokens.size();
  block_first_ = 0;
  stage_ = Stage::embed;
  op_ = ResumableOp();
}

void Decoder::begin(std::span<const uint32_t> tokens) { start(Pass::append, tokens); }

void Decoder::begin_each(std::span<const uint32_t> tokens) {
  if (!sequences_.is_reserved()) return begin(tokens);
  own_first_ = sequences_.place_tokens();
  start(Pass::each, tokens);
}

Status Decoder::begin_traced(std::span<const uint32_t> tokens, DecoderTrace& trace) {
  const uint64_t row_bytes = uint64_t{state_.dimensions().n_text_state} * sizeof(float);
  const uint64_t hidden_bytes = tokens.size() * row_bytes;
  SUSURRUS_ASSIGN_OR_RETURN(AlignedBuffer hidden,
                            AlignedBuffer::allocate(hidden_bytes, "decoder trace"));
  SUSURRUS_ASSIGN_OR_RETURN(
      AlignedBuffer queries,
      AlignedBuffer::allocate(trace.layers.size() * hidden_bytes, "decoder trace"));
  trace.token_count = tokens.size();
  trace.hidden = std::move(hidden);
  trace.queries = std::move(queries);
  trace_ = &trace;
  reset();
  start(Pass::trace, tokens);
  return ok_status();
}

void Decoder::begin_logits(const float* hidden, size_t rows) {
  pass_ = Pass::logits_only;
  normed_ = hidden;
  logit_rows_ = rows;
  stage_ = Stage::logits;
  op_ = ResumableOp();
}

void Decoder::cross_scores(size_t layer, size_t head, size_t query_rows, const float* queries,
                           size_t frames, float* out) const {
  const WhisperDimensions& d = state_.dimensions();
  AttentionScoresArgs args;
  args.query_rows = query_rows;
  args.key_rows = frames;
  args.head_size = d.n_text_state / d.n_text_head;
  args.scale = attention_scale(args.head_size);
  args.q = queries + head * args.head_size;
  args.q_stride = d.n_text_state;
  args.out = out;
  args.out_stride = frames;
  if (!state_.has_int8_kv()) {
    args.k = state_.cross_keys(layer) + head * args.head_size;
    args.k_stride = d.n_text_state;
    return kernels_.attention_scores(args);
  }
  float* keys = state_.kernel_scratch().data();
  args.k = keys;
  args.k_stride = args.head_size;
  const Int8KvLayout layout(state_.encoded_positions(), args.head_size);
  for (size_t first = 0; first < frames; first += kBlockValues, args.out += kBlockValues) {
    args.key_rows = std::min(kBlockValues, frames - first);
    expand_keys(state_.cross_kv(layer), layout, head, args.head_size, first, args.key_rows, keys);
    kernels_.attention_scores(args);
  }
}

bool Decoder::step() {
  run_step(op_, kernels_, [this] {
    if (stage_ == Stage::idle || stage_ == Stage::finished) return false;
    op_ = next_op();
    return true;
  });
  if (stage_ == Stage::finished && op_.is_done()) finish();
  return stage_ == Stage::idle;
}

std::span<float> Decoder::logits(size_t row) {
  const size_t n_vocab = state_.dimensions().n_vocab;
  float* first = sequences_.logits();
  if (first == nullptr) first = state_.activation(state_.plan().logits).data();
  return {first + row * n_vocab, n_vocab};
}

ResumableOp Decoder::next_op() {
  ResumableOp op;
  if (stage_ == Stage::embed) {
    op = embed();
  } else if (stage_ <= Stage::self_out) {
    op = self_attention_op(weights_.decoder_layers[layer_]);
  } else if (stage_ <= Stage::cross_out) {
    op = cross_attention_op(weights_.decoder_layers[layer_]);
  } else if (stage_ <= Stage::mlp_down) {
    op = mlp_op(weights_.decoder_layers[layer_].mlp);
  } else if (stage_ == Stage::final_norm) {
    op = final_norm();
  } else {
    op = ops_.linear({weights_.token_embedding, {}}, logit_rows_, normed_, logits().data());
  }
  advance();
  return op;
}

Decoder::Buffers Decoder::buffers() {
  const StatePlan& plan = state_.plan();
  return {.x = state_.activation(plan.text).data(),
          .normed = state_.activation(plan.text_normed).data(),
          .query = state_.activation(plan.text_query).data(),
          .hidden = state_.activation(plan.text_hidden).data()};
}

/// x += self-attention of x and of all tokens before
ResumableOp Decoder::self_attention_op(const DecoderLayerWeights& layer) {
  const AttentionWeights& weights = layer.attention;
  const Buffers b = buffers();
  switch (stage_) {
    case Stage::self_norm: return ops_.norm(layer.norm, block_rows_, b.x, b.normed);
    case Stage::self_query: return ops_.linear(weights.query, block_rows_, b.normed, b.query);
    case Stage::self_key: return ops_.linear(weights.key, block_rows_, b.normed, new_keys());
    case Stage::self_value: return ops_.linear(weights.value, block_rows_, b.normed, new_values());
    case Stage::self_attention: return self_attention(block_rows_, b.query, b.normed);
    default: return ops_.linear(weights.out, block_rows_, b.normed, b.x, Epilogue::accumulate);
  }
}

/// x += attention of x to the audio
ResumableOp Decoder::cross_attention_op(const DecoderLayerWeights& layer) {
  const AttentionWeights& weights = layer.cross_attention;
  const Buffers b = buffers();
  switch (stage_) {
    case Stage::cross_norm: return ops_.norm(layer.cross_norm, block_rows_, b.x, b.normed);
    case Stage::cross_query:
      return ops_.linear(weights.query, block_rows_, b.normed, cross_queries());
    case Stage::cross_attention: return cross_attention();
    default: return ops_.linear(weights.out, block_rows_, b.normed, b.x, Epilogue::accumulate);
  }
}

ResumableOp Decoder::cross_attention() {
  const size_t heads = state_.dimensions().n_text_head;
  const size_t positions = state_.encoded_positions();
  const size_t count = audio_count_ > 0 ? audio_count_ : positions;
  float* const out = buffers().normed;
  if (!state_.has_int8_kv()) {
    const size_t offset = audio_first_ * state_.dimensions().n_text_state;
    return ops_.attention(heads, block_rows_, count, cross_queries(),
                          state_.cross_keys(layer_) + offset, state_.cross_values(layer_) + offset,
                          out);
  }
  if (audio_count_ == 0) {
    return ops_.int8_attention(heads, block_rows_, positions, cross_queries(),
                               state_.cross_kv(layer_), out);
  }
  return ops_.int8_attention_within(heads, block_rows_, positions, audio_first_, count,
                                    cross_queries(), state_.cross_kv(layer_), out);
}

/// x += MLP of x
ResumableOp Decoder::mlp_op(const MlpWeights& mlp) {
  const Buffers b = buffers();
  switch (stage_) {
    case Stage::mlp_norm: return ops_.norm(mlp.norm, block_rows_, b.x, b.normed);
    case Stage::mlp_up: return ops_.linear(mlp.up, block_rows_, b.normed, b.hidden, Epilogue::gelu);
    default: return ops_.linear(mlp.down, block_rows_, b.hidden, b.x, Epilogue::accumulate);
  }
}

/// Stages follow each other in the order of their names, but for loops over layers and blocks of rows.
void Decoder::advance() {
  switch (stage_) {
    case Stage::embed: return enter_layer(0);
    case Stage::mlp_down: return enter_layer(layer_ + 1);
    case Stage::final_norm:
      if (pass_ != Pass::trace) break;
      if (is_last_block()) {
        stage_ = Stage::finished;
      } else {
        next_block();
      }
      return;
    default: break;
  }
  stage_ = static_cast<Stage>(static_cast<uint8_t>(stage_) + 1);
}

ResumableOp Decoder::embed() {
  const size_t width = state_.dimensions().n_text_state;
  float* x = buffers().x;
  block_rows_ = std::min(kDecoderBlockRows, token_count_ - block_first_);
  for (size_t r = 0; r < block_rows_; ++r) {
    const uint32_t token = state_.tokens()[block_first_ + r];
    read_weight_row(weights_.token_embedding, token, x + r * width);
    // Sequences are all at the same position.
    const size_t position = pass_ == Pass::each ? position_ : position_ + block_first_ + r;
    ops_.add_position(weights_.decoder_positions, position, x + r * width);
  }
  return ResumableOp::already_done(uint64_t{block_rows_} * width);
}

float* Decoder::new_keys() {
  const size_t width = state_.dimensions().n_text_state;
  if (pass_ == Pass::each) return sequences_.keys(layer_) + own_first_ * width;
  return state_.self_keys(layer_) + (position_ + block_first_) * width;
}

float* Decoder::new_values() {
  const size_t width = state_.dimensions().n_text_state;
  if (pass_ == Pass::each) return sequences_.values(layer_) + own_first_ * width;
  return state_.self_values(layer_) + (position_ + block_first_) * width;
}

ResumableOp Decoder::self_attention(size_t rows, const float* query, float* out) {
  const size_t heads = state_.dimensions().n_text_head;
  const float* keys = state_.self_keys(layer_);
  const float* values = state_.self_values(layer_);
  if (pass_ != Pass::each) {
    return ops_.causal_attention(heads, rows, position_ + block_first_, query, keys, values, out);
  }
  const OwnKeys own = {.rows = sequences_.rows(),
                       .rows_stride = sequences_.tokens_each(),
                       .shared = position_ - sequences_.length(),
                       .k = sequences_.keys(layer_),
                       .v = sequences_.values(layer_)};
  return ops_.own_keys_attention(heads, rows, sequences_.length() + 1, own, query, keys, values,
                                 out);
}

float* Decoder::cross_queries() {
  if (pass_ == Pass::trace) {
    const auto& layers = trace_->layers;
    const auto found = std::find(layers.begin(), layers.end(), layer_);
    if (found != layers.end()) {
      const auto index = static_cast<size_t>(found - layers.begin());
      return trace_->queries.floats().data() +
             (index * token_count_ + block_first_) * state_.dimensions().n_text_state;
    }
  }
  return state_.activation(state_.plan().text_query).data();
}

void Decoder::enter_layer(size_t layer) {
  layer_ = layer;
  if (layer < weights_.decoder_layers.size()) {
    stage_ = Stage::self_norm;
  } else if (pass_ == Pass::trace || is_last_block()) {
    stage_ = Stage::final_norm;
  } else {
    // Later rows need of these only the keys and values.
    next_block();
  }
}

ResumableOp Decoder::final_norm() {
  const size_t width = state_.dimensions().n_text_state;
  const float* x = buffers().x;
  float* normed = buffers().normed;
  size_t first = 0;
  size_t rows = block_rows_;
  if (pass_ == Pass::append) {
    first = rows - 1;
    rows = 1;
  } else if (pass_ == Pass::trace) {
    normed = trace_->hidden.floats().data() + block_first_ * width;
  }
  normed_ = normed;
  logit_rows_ = rows;
  return ops_.norm(weights_.decoder_norm, rows, x + first * width, normed);
}

/// block_rows_ stays until embed(), as the operation under way needs it.
void Decoder::next_block() {
  block_first_ += block_rows_;
  stage_ = Stage::embed;
}

void Decoder::finish() {
  stage_ = Stage::idle;
  if (pass_ == Pass::each) {
    sequences_.keep_tokens();
    ++position_;
  } else if (pass_ != Pass::logits_only) {
    position_ += token_count_;
  }
}

}  // namespace susurrus
