#include "families/whisper/checkpoint_dimensions.h"

#include <algorithm>
#include <charconv>

#include "facts/whisper.h"
#include "families/whisper/whisper_tensors.h"

namespace susurrus {
namespace {

constexpr uint64_t kHeadWidth = 64;
constexpr uint64_t kKernel = 3;
constexpr uint64_t kMaxDimension = 0x7FFFFFFF;

class ShapeReader {
 public:
  explicit ShapeReader(std::span<const CheckpointTensor> tensors) : tensors_(tensors) {
    for (const CheckpointTensor& tensor : tensors) {
      names_.push_back(canonical_tensor_name(tensor.info.name));
    }
  }

  Result<WhisperDimensions> read(const DeclaredDimensions& stated) {
    WhisperDimensions d;
    SUSURRUS_ASSIGN_OR_RETURN(const uint32_t state, read_count("decoder.ln.weight", 1));
    d.n_audio_state = d.n_text_state = state;
    SUSURRUS_ASSIGN_OR_RETURN(d.n_vocab, read_count("decoder.token_embedding.weight", state));
    SUSURRUS_ASSIGN_OR_RETURN(d.n_text_ctx, read_count("decoder.positional_embedding", state));
    SUSURRUS_ASSIGN_OR_RETURN(d.n_mels, read_count("encoder.conv1.weight", kKernel * state));
    if (find(kEncoderPositionsName) != nullptr) {
      SUSURRUS_ASSIGN_OR_RETURN(d.n_audio_ctx, read_count(kEncoderPositionsName, state));
    } else {
      d.n_audio_ctx = stated.n_audio_ctx != 0 ? stated.n_audio_ctx : kOfficialAudioContext;
    }
    d.n_audio_layer = layer_count("encoder.blocks.");
    d.n_text_layer = layer_count("decoder.blocks.");
    d.n_audio_head = heads(stated.n_audio_head, state);
    d.n_text_head = heads(stated.n_text_head, state);
    return d;
  }

 private:
  const TensorInfo* find(std::string_view name) const {
    for (size_t i = 0; i < names_.size(); ++i) {
      if (names_[i] == name) return &tensors_[i].info;
    }
    return nullptr;
  }

  /// How often `unit` elements fit into a tensor, exactly and at least once.
  Result<uint32_t> read_count(std::string_view name, uint64_t unit) const {
    const TensorInfo* tensor = find(name);
    if (tensor == nullptr) {
      return make_error(ErrorCode::missing_tensor, ErrorReason::model).with_subject(name);
    }
    const uint64_t elements = tensor->shape.element_count().value_or(0);
    const uint64_t count = elements / unit;
    if (elements % unit != 0 || count == 0 || count > kMaxDimension) {
      return make_error(ErrorCode::shape_mismatch, ErrorReason::model)
          .at(tensor->file_offset)
          .with_subject(name)
          .with_expected("a multiple of " + std::to_string(unit) + " elements")
          .with_got(elements);
    }
    return static_cast<uint32_t>(count);
  }

  /// One more than the largest number of a block.
  uint32_t layer_count(std::string_view prefix) const {
    uint32_t count = 0;
    for (const std::string& name : names_) {
      if (!name.starts_with(prefix)) continue;
      uint32_t layer = 0;
      const char* digits = name.data() + prefix.size();
      const auto result = std::from_chars(digits, name.data() + name.size(), layer);
      if (result.ec == std::errc() && layer < kMaxWhisperLayers) count = std::max(count, layer + 1);
    }
    return count;
  }

  static uint32_t heads(uint32_t stated, uint64_t state) {
    return stated != 0 ? stated : static_cast<uint32_t>(std::max<uint64_t>(state / kHeadWidth, 1));
  }

  std::span<const CheckpointTensor> tensors_;
  std::vector<std::string> names_;
};

}  // namespace

Result<WhisperDimensions> dimensions_of_shapes(std::span<const CheckpointTensor> tensors,
                                               const DeclaredDimensions& stated) {
  return ShapeReader(tensors).read(stated);
}

}  // namespace susurrus
