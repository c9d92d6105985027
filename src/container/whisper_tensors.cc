#include "container/whisper_tensors.h"

#include <algorithm>
#include <charconv>

#include "base/name_index.h"
#include "facts/whisper.h"

namespace susurrus {
namespace {

class TensorList {
 public:
  void add(std::string name, Shape shape) {
    tensors_.push_back({prefix_ + std::move(name), shape});
  }
  void add_pair(const std::string& module, Shape weight, Shape bias) {
    add(module + ".weight", weight);
    add(module + ".bias", bias);
  }
  void add_norm(const std::string& module, uint64_t state) { add_pair(module, {state}, {state}); }
  void add_attention(const std::string& module, uint64_t state) {
    add_pair(module + ".query", {state, state}, {state});
    add(module + ".key.weight", {state, state});  // Whisper's keys have no bias
    add_pair(module + ".value", {state, state}, {state});
    add_pair(module + ".out", {state, state}, {state});
  }
  void add_mlp(uint64_t state) {
    add_norm("mlp_ln", state);
    add_pair("mlp.0", {4 * state, state}, {4 * state});
    add_pair("mlp.2", {state, 4 * state}, {state});
  }
  void set_prefix(std::string prefix) { prefix_ = std::move(prefix); }
  std::vector<WhisperTensor> take() { return std::move(tensors_); }

 private:
  std::string prefix_;
  std::vector<WhisperTensor> tensors_;
};

std::string shape_text(const Shape& shape) {
  std::string text = "[";
  for (uint32_t i = 0; i < shape.rank(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(shape[i]);
  }
  return text + "]";
}

bool is_reversed(const Shape& shape, const Shape& expected) {
  if (shape.rank() != expected.rank()) return false;
  for (uint32_t i = 0; i < shape.rank(); ++i) {
    if (shape[i] != expected[shape.rank() - 1 - i]) return false;
  }
  return true;
}

/// ggml keeps the convolutions' biases two-dimensional.
bool is_column_of(const Shape& shape, const Shape& expected) {
  return expected.rank() == 1 && shape.rank() == 2 && (shape[0] == 1 || shape[1] == 1) &&
         shape[0] * shape[1] == expected[0];
}

Status check_one(const WhisperTensor& wanted, const TensorInfo& found, bool may_reverse,
                 bool& reversed) {
  if (!is_weight_dtype(found.dtype) && found.scale == 0) {
    return make_error(ErrorCode::malformed, ErrorReason::model)
        .at(found.file_offset)
        .about(found.name)
        .expecting("a floating-point or block dtype")
        .having(dtype_traits(found.dtype).name);
  }
  if (found.shape == wanted.shape) return ok_status();
  bool is_conv_bias = wanted.name.starts_with("encoder.conv") && wanted.name.ends_with(".bias");
  if (is_conv_bias && is_column_of(found.shape, wanted.shape)) return ok_status();
  // Blocks run along the last dimension, so it must stay the last one.
  if (may_reverse && is_reversed(found.shape, wanted.shape) &&
      tensor_byte_count(found.dtype, wanted.shape)) {
    reversed = true;
    return ok_status();
  }
  return make_error(ErrorCode::shape_mismatch, ErrorReason::model)
      .at(found.file_offset)
      .about(found.name)
      .expecting(shape_text(wanted.shape))
      .having(shape_text(found.shape));
}

/// `names`, one for each tensor, outlive the index.
Result<NameIndex> index_names(std::span<const std::string> names,
                              std::span<const TensorInfo> tensors) {
  NameIndex index;
  index.reserve(names.size());
  for (uint32_t i = 0; i < names.size(); ++i) index.add(names[i], i);
  index.sort();
  if (const auto* twice = index.duplicate()) {
    return make_error(ErrorCode::malformed, ErrorReason::duplicate)
        .at(tensors[twice->place].file_offset)
        .about(tensors[twice->place].name)
        .having(tensors[twice[-1].place].name);
  }
  return index;
}

/// Names as many missing tensors as an error holds, and counts them all.
class MissingNames {
 public:
  void add(std::string_view name) {
    if (count_++ > 0) names_.append(", ");
    names_.append(name);
  }
  uint64_t count() const { return count_; }
  Error error(uint64_t needed) const {
    return make_error(ErrorCode::missing_tensor, ErrorReason::model)
        .about(names_.view())
        .expecting(std::to_string(needed) + " tensors")
        .having(std::to_string(count_) + " of them missing");
  }

 private:
  uint64_t count_ = 0;
  FixedString<120> names_;
};

}  // namespace

std::vector<WhisperTensor> whisper_tensors(const WhisperDimensions& d) {
  const uint64_t audio = d.n_audio_state;
  const uint64_t text = d.n_text_state;
  TensorList list;
  list.set_prefix("encoder.");
  list.add_pair("conv1", {audio, d.n_mels, 3}, {audio});
  list.add_pair("conv2", {audio, audio, 3}, {audio});
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
  list.add("token_embedding.weight", {d.n_vocab, text});
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

Result<WhisperTensorMap> map_whisper_tensors(const WhisperDimensions& dimensions,
                                             std::span<const TensorInfo> tensors,
                                             const WhisperTensorRules& rules) {
  std::vector<std::string> names;
  names.reserve(tensors.size());
  for (const TensorInfo& tensor : tensors) names.push_back(canonical_tensor_name(tensor.name));
  SUSURRUS_ASSIGN(const NameIndex index, index_names(names, tensors));
  const uint64_t needed = 11 + 15ull * dimensions.n_audio_layer + 24ull * dimensions.n_text_layer;
  if (dimensions.n_audio_layer > kMaxWhisperLayers || dimensions.n_text_layer > kMaxWhisperLayers) {
    return make_error(ErrorCode::missing_tensor, ErrorReason::model)
        .about("n_audio_layer, n_text_layer")
        .expecting(needed)
        .having(tensors.size());
  }

  WhisperTensorMap map;
  map.tensors = whisper_tensors(dimensions);
  MissingNames missing;
  for (const WhisperTensor& wanted : map.tensors) {
    const auto* found = index.find(wanted.name);
    map.sources.push_back(found == nullptr ? WhisperTensorMap::kAbsent : found->place);
    bool is_optional = rules.may_lack_any ||
                       (rules.may_lack_encoder_positions && wanted.name == kEncoderPositionsName);
    if (found == nullptr && !is_optional) missing.add(wanted.name);
  }
  if (missing.count() > 0) return missing.error(needed);

  bool reversed = false;
  for (size_t i = 0; i < map.tensors.size(); ++i) {
    if (map.sources[i] == WhisperTensorMap::kAbsent) continue;
    SUSURRUS_TRY(
        check_one(map.tensors[i], tensors[map.sources[i]], rules.may_reverse_dims, reversed));
  }
  if (reversed) map.warnings.push_back("some tensors list their dimensions in reverse");

  if (const auto* found = index.find(kFilterbankTensorName)) {
    const TensorInfo& filterbank = tensors[found->place];
    if (filterbank.dtype != Dtype::f32 ||
        filterbank.shape != Shape({dimensions.n_mels, kFrequencyBins})) {
      return make_error(ErrorCode::malformed, ErrorReason::bad_filterbank)
          .at(filterbank.file_offset)
          .about(filterbank.name)
          .expecting("f32 " + shape_text({dimensions.n_mels, kFrequencyBins}))
          .having(shape_text(filterbank.shape));
    }
    map.filterbank = found->place;
  }
  return map;
}

Status check_whisper_vocabulary(const ModelMetadata& metadata) {
  const uint32_t n_vocab = metadata.dimensions.n_vocab;
  bool is_official = n_vocab >= kEnglishVocabulary && n_vocab <= kCantoneseVocabulary;
  if (!is_official && metadata.vocabulary.token_count() == 0 && !metadata.vocabulary_follows) {
    return make_error(ErrorCode::malformed, ErrorReason::model)
        .about("n_vocab")
        .expecting("51864, 51865, 51866, or a vocabulary in the file")
        .having(n_vocab);
  }
  return ok_status();
}

Status check_whisper_model(const ModelMetadata& metadata, std::span<const TensorInfo> tensors) {
  if (metadata.model_type.view() != "whisper") {
    return make_error(ErrorCode::unsupported_feature, ErrorReason::model)
        .about("model_type")
        .expecting("whisper")
        .having(metadata.model_type.view());
  }
  if (tensors.empty()) {
    return make_error(ErrorCode::malformed, ErrorReason::no_tensors)
        .about("tensor_count")
        .having("0");
  }
  return check_whisper_vocabulary(metadata);
}

}  // namespace susurrus
