#include "container/apr1/apr1_json_metadata.h"

#include "container/apr1/apr1_header.h"
#include "families/whisper/dimension_order.h"
#include "families/whisper/tensor_names.h"

namespace susurrus {
namespace {

/// Every official model's; no shape tells it.
constexpr uint64_t kHeadWidth = 64;
constexpr uint64_t kLargestCount = 0x7FFFFFFF;

/// Whisper's dimensions as far as shapes tell them; 0 where they do not.
WhisperDimensions dimensions_of(std::span<const TensorInfo> tensors) {
  WhisperDimensions d;
  const auto dim = [](const Shape& shape, uint32_t axis) {
    return axis < shape.rank() && shape[axis] <= kLargestCount ? static_cast<uint32_t>(shape[axis])
                                                               : 0;
  };
  for (const TensorInfo& tensor : tensors) {
    const std::string name = canonical_tensor_name(tensor.name);
    if (name == "encoder.conv1.weight") d.n_mels = dim(tensor.shape, 1);
    if (name == "decoder.token_embedding.weight") {
      d.n_vocab = dim(tensor.shape, 0);
      d.n_text_state = dim(tensor.shape, 1);
    }
    if (name == kEncoderPositionsName) {
      d.n_audio_ctx = dim(tensor.shape, 0);
      d.n_audio_state = dim(tensor.shape, 1);
    }
    if (name == "decoder.positional_embedding") d.n_text_ctx = dim(tensor.shape, 0);
    if (name.ends_with(".mlp_ln.weight")) {
      ++(name.starts_with("encoder.") ? d.n_audio_layer : d.n_text_layer);
    }
  }
  d.n_audio_head = static_cast<uint32_t>(d.n_audio_state / kHeadWidth);
  d.n_text_head = static_cast<uint32_t>(d.n_text_state / kHeadWidth);
  return d;
}

}  // namespace

Result<Apr2Metadata> read_apr1_json_metadata(const JsonDocument& document,
                                             std::span<const TensorInfo> tensors,
                                             uint64_t file_offset) {
  const JsonValue root = document.root();
  WhisperDimensions d = dimensions_of(tensors);
  if (d.n_mels == 0) {
    Apr2Metadata other;
    other.model.model_type.assign(root["model_type"].text().value_or("unknown"));
    return other;
  }
  const JsonValue stated = root["architecture"].is_object() ? root["architecture"] : root;
  bool is_derived = false;
  for (const NamedDimension& dimension : kStoredDimensions) {
    const auto number = stated[dimension.name].unsigned_integer();
    if (number && *number <= kLargestCount) {
      d.*dimension.field = static_cast<uint32_t>(*number);
    } else {
      is_derived = true;
    }
    if (d.*dimension.field == 0) {
      return make_error(ErrorCode::malformed, ErrorReason::bad_metadata)
          .at(file_offset)
          .with_subject(dimension.name)
          .with_expected("an integer above 0, or a tensor that tells it");
    }
  }
  SUSURRUS_ASSIGN_OR_RETURN(Apr2Metadata metadata, read_apr2_options(document, d, file_offset));
  if (is_derived) {
    metadata.warnings.emplace_back("dimensions come from the tensors' shapes, with heads of 64");
  }
  return metadata;
}

}  // namespace susurrus
