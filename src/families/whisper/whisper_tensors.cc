#include "families/whisper/whisper_tensors.h"

#include "facts/whisper.h"
#include "tensor/model_family.h"

namespace susurrus {
namespace {

class TensorList {
 public:
  void add(std::string name, Shape shape, WeightKind kind = WeightKind::values) {
    tensors_.push_back({.name = prefix_ + std::move(name), .shape = shape, .kind = kind});
  }
  void add_pair(const std::string& module, Shape weight, Shape bias,
                WeightKind kind = WeightKind::matrix) {
    add(module + ".weight", weight, kind);
    add(module + ".bias", bias);
  }
  void add_norm(const std::string& module, uint64_t state) {
    add_pair(module, {state}, {state}, WeightKind::values);
  }
  void add_convolution(const std::string& module, uint64_t in, uint64_t state) {
    add_pair(module, {state, in, 3}, {state}, WeightKind::convolution);
    // ggml keeps these biases two-dimensional.
    tensors_.back().may_be_column = true;
  }
  void add_attention(const std::string& module, uint64_t state) {
    add_pair(module + ".query", {state, state}, {state});
    add(module + ".key.weight", {state, state}, WeightKind::matrix);  // keys have no bias
    add_pair(module + ".value", {state, state}, {state});
    add_pair(module + ".out", {state, state}, {state});
  }
  void add_mlp(uint64_t state) {
    add_norm("mlp_ln", state);
    add_pair("mlp.0", {4 * state, state}, {4 * state});
    add_pair("mlp.2", {state, 4 * state}, {state});
  }
  void set_prefix(std::string prefix) { prefix_ = std::move(prefix); }
  std::vector<WantedTensor> take() { return std::move(tensors_); }

 private:
  std::string prefix_;
  std::vector<WantedTensor> tensors_;
};

}  // namespace

std::vector<WantedTensor> whisper_tensors(const WhisperDimensions& d) {
  const uint64_t audio = d.n_audio_state;
  const uint64_t text = d.n_text_state;
  TensorList list;
  list.set_prefix("encoder.");
  list.add_convolution("conv1", d.n_mels, audio);
  list.add_convolution("conv2", audio, audio);
  list.add("positional_embedding", {d.n_audio_ctx, audio});
  for (uint32_t layer = 0; layer < d.n_audio_layer; ++layer) {
    list.set_prefix("encoder.blocks." + std::to_string(layer) + ".");
    list.add_norm("attn_ln", audio);
    list.add_attention("attn", audio);
    list.add_mlp(audio);
  }
  list.set_prefix("encoder.");
  list.add_norm("ln_post", audio);
  list.set_prefix("decoder.");
  list.add("token_embedding.weight", {d.n_vocab, text}, WeightKind::matrix);
  list.add("positional_embedding", {d.n_text_ctx, text});
  for (uint32_t layer = 0; layer < d.n_text_layer; ++layer) {
    list.set_prefix("decoder.blocks." + std::to_string(layer) + ".");
    list.add_norm("attn_ln", text);
    list.add_attention("attn", text);
    list.add_norm("cross_attn_ln", text);
    list.add_attention("cross_attn", text);
    list.add_mlp(text);
  }
  list.set_prefix("decoder.");
  list.add_norm("ln", text);
  return list.take();
}

Result<TensorMatch> match_whisper_tensors(const WhisperDimensions& dimensions,
                                          std::span<const TensorInfo> tensors,
                                          const WhisperTensorRules& rules) {
  if (dimensions.n_audio_layer > kMaxWhisperLayers || dimensions.n_text_layer > kMaxWhisperLayers) {
    return make_error(ErrorCode::missing_tensor, ErrorReason::model)
        .with_subject("n_audio_layer, n_text_layer")
        .with_expected(11 + 15ull * dimensions.n_audio_layer + 24ull * dimensions.n_text_layer)
        .with_got(tensors.size());
  }
  std::vector<WantedTensor> wanted = whisper_tensors(dimensions);
  for (WantedTensor& tensor : wanted) {
    tensor.is_optional = rules.may_lack_encoder_positions && tensor.name == kEncoderPositionsName;
  }
  SUSURRUS_ASSIGN_OR_RETURN(
      TensorMatch match, match_tensors(std::move(wanted), tensors, canonical_tensor_name, rules));
  SUSURRUS_ASSIGN_OR_RETURN(
      match.filterbank,
      find_filterbank(kFilterbankTensorName, {dimensions.n_mels, kFrequencyBins}, tensors));
  return match;
}

Status check_whisper_vocabulary(const ModelMetadata& metadata) {
  const uint32_t n_vocab = metadata.whisper()->dimensions.n_vocab;
  bool is_official = n_vocab >= kEnglishVocabulary && n_vocab <= kCantoneseVocabulary;
  if (!is_official && metadata.vocabulary.token_count() == 0 && !metadata.vocabulary_follows) {
    return make_error(ErrorCode::malformed, ErrorReason::model)
        .with_subject("n_vocab")
        .with_expected("51864, 51865, 51866, or a vocabulary in the file")
        .with_got(n_vocab);
  }
  return ok_status();
}

Status check_whisper_model(const ModelMetadata& metadata, std::span<const TensorInfo> tensors) {
  if (metadata.whisper() == nullptr) return not_of_family(metadata, "whisper");
  if (tensors.empty()) return no_tensors();
  return check_whisper_vocabulary(metadata);
}

}  // namespace susurrus
