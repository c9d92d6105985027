#include "families/whisper/weights.h"

#include <string>

namespace susurrus {
namespace {

/// Looks tensors up by OpenAI's names and keeps the first error.
class Finder {
 public:
  explicit Finder(const WeightStore& store) : store_(store) {}

  void set_prefix(std::string prefix) { prefix_ = std::move(prefix); }

  TensorView tensor(const std::string& name, Shape shape) {
    std::string full_name = prefix_ + name;
    const TensorView* view = store_.find(full_name);
    if (view == nullptr || (view->empty() && store_.is_verified())) {
      fail(make_error(ErrorCode::missing_tensor, ErrorReason::model).with_subject(full_name));
    } else if (view->shape != in_blocks(shape, dtype_traits(view->dtype).elements_per_block)) {
      fail(make_error(ErrorCode::shape_mismatch, ErrorReason::model).with_subject(full_name));
    } else if (!is_weight_dtype(view->dtype)) {
      fail(make_error(ErrorCode::unsupported_feature, ErrorReason::unsupported_dtype)
               .with_subject(full_name)
               .with_got(dtype_traits(view->dtype).name));
    } else {
      if (view->empty()) are_all_here_ = false;
      return *view;
    }
    return {};
  }
  NormWeights norm(const std::string& name, uint64_t state) {
    return {tensor(name + ".weight", {state}), tensor(name + ".bias", {state})};
  }
  LinearWeights linear(const std::string& name, Shape shape) {
    return {tensor(name + ".weight", shape), tensor(name + ".bias", {shape[0]})};
  }
  AttentionWeights attention(const std::string& name, uint64_t state) {
    AttentionWeights weights;
    weights.query = linear(name + ".query", {state, state});
    weights.key = {tensor(name + ".key.weight", {state, state}), {}};
    weights.value = linear(name + ".value", {state, state});
    weights.out = linear(name + ".out", {state, state});
    return weights;
  }
  MlpWeights mlp(uint64_t state) {
    return {norm("mlp_ln", state), linear("mlp.0", {4 * state, state}),
            linear("mlp.2", {state, 4 * state})};
  }

  /// Whether all tensors requested so far have arrived.
  bool are_all_here() const { return are_all_here_; }
  Status status() const { return has_failed_ ? Status(error_) : ok_status(); }

 private:
  /// Rows of a convolution may be padded to whole blocks; those of other matrices are whole blocks.
  static Shape in_blocks(const Shape& shape, uint64_t block) {
    if (shape.rank() < 2) return shape;
    return Shape({shape[0], (shape[1] + block - 1) / block * block});
  }
  void fail(Error error) {
    if (!has_failed_) error_ = error;
    has_failed_ = true;
  }

  const WeightStore& store_;
  std::string prefix_;
  bool are_all_here_ = true;
  bool has_failed_ = false;
  Error error_;
};

Error bad_dimension(const char* name, uint32_t value, const char* expected) {
  return make_error(ErrorCode::malformed, ErrorReason::contradiction)
      .with_subject(name)
      .with_expected(expected)
      .with_got(value);
}

}  // namespace

WeightLayout WhisperWeights::kv_layout(WeightLayout packed) const {
  const auto is_packed = [](const AttentionWeights& attention) {
    return is_block_dtype(attention.key.weight.dtype) &&
           is_block_dtype(attention.value.weight.dtype);
  };
  for (const EncoderLayerWeights& layer : encoder_layers) {
    if (!is_packed(layer.attention)) return WeightLayout::rows;
  }
  for (const DecoderLayerWeights& layer : decoder_layers) {
    if (!is_packed(layer.cross_attention)) return WeightLayout::rows;
  }
  return packed;
}

Status check_computable(const WhisperDimensions& d) {
  if (d.n_audio_head == 0 || d.n_audio_state % d.n_audio_head != 0) {
    return bad_dimension("n_audio_head", d.n_audio_head, "a divisor of n_audio_state");
  }
  if (d.n_text_head == 0 || d.n_text_state % d.n_text_head != 0) {
    return bad_dimension("n_text_head", d.n_text_head, "a divisor of n_text_state");
  }
  // Cross-attention multiplies audio states by matrices as wide as the text state.
  if (d.n_text_state != d.n_audio_state) {
    return bad_dimension("n_text_state", d.n_text_state, "n_audio_state");
  }
  return ok_status();
}

Result<WhisperWeights> WhisperWeights::find(const WeightStore& store, const WhisperDimensions& d) {
  const uint64_t state = d.n_audio_state;
  Finder finder(store);
  WhisperWeights weights;
  finder.set_prefix("encoder.");
  weights.conv1 = finder.linear("conv1", {state, 3 * uint64_t{d.n_mels}});
  weights.conv2 = finder.linear("conv2", {state, 3 * state});
  weights.encoder_positions = finder.tensor("positional_embedding", {d.n_audio_ctx, state});
  weights.encoder_norm = finder.norm("ln_post", state);
  for (uint32_t i = 0; i < d.n_audio_layer && finder.status(); ++i) {
    finder.set_prefix("encoder.blocks." + std::to_string(i) + ".");
    weights.encoder_layers.push_back(
        {finder.norm("attn_ln", state), finder.attention("attn", state), finder.mlp(state)});
  }
  weights.has_encoder = finder.are_all_here();
  finder.set_prefix("decoder.");
  weights.token_embedding = finder.tensor("token_embedding.weight", {d.n_vocab, state});
  weights.decoder_positions = finder.tensor("positional_embedding", {d.n_text_ctx, state});
  weights.decoder_norm = finder.norm("ln", state);
  for (uint32_t i = 0; i < d.n_text_layer && finder.status(); ++i) {
    finder.set_prefix("decoder.blocks." + std::to_string(i) + ".");
    weights.decoder_layers.push_back({finder.norm("attn_ln", state),
                                      finder.attention("attn", state),
                                      finder.norm("cross_attn_ln", state),
                                      finder.attention("cross_attn", state), finder.mlp(state)});
  }
  SUSURRUS_RETURN_IF_ERROR(finder.status());
  weights.has_decoder = finder.are_all_here() && store.is_verified();
  return weights;
}

}  // namespace susurrus
