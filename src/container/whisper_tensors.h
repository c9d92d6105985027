#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "container/model_metadata.h"
#include "container/tensor_info.h"

namespace susurrus {

/// aprender's convention for a filterbank too large for JSON: f32 [n_mels, 201]; wins over the metadata's.
inline constexpr std::string_view kFilterbankTensorName = "audio.mel_filterbank";
inline constexpr std::string_view kEncoderPositionsName = "encoder.positional_embedding";

/// A tensor that Whisper needs, under its canonical (OpenAI) name.
struct WhisperTensor {
  std::string name;
  Shape shape;
};

/// Every tensor of a Whisper of these dimensions, in execution order: encoder, then decoder.
/// The caller bounds the layer counts (kMaxWhisperLayers).
std::vector<WhisperTensor> whisper_tensors(const WhisperDimensions& dimensions);
inline constexpr uint32_t kMaxWhisperLayers = 1024;

/// OpenAI's name for a tensor named by OpenAI, Hugging Face (with or without "model.") or APR writers
/// (whisper-sources.md §2, apr.md §7.2). Any other name comes back unchanged.
std::string canonical_tensor_name(std::string_view name);

/// The name that one of 47 or 48 bytes is the beginning of, where only one can be meant: writers of APR1 cut Hugging Face's
/// longest names (apr.md §7.1).
std::optional<std::string> complete_cut_tensor_name(std::string_view name);

/// What the hub calls a tensor of Whisper with this canonical name: "model.encoder.layers.0.fc1.weight".
std::string hub_tensor_name(std::string_view canonical_name);

/// Which tensor of a file plays which part.
struct WhisperTensorMap {
  static constexpr uint32_t kAbsent = ~0u;
  std::vector<WhisperTensor> tensors;  // execution order
  std::vector<uint32_t> sources;       // index into the file's list, or kAbsent
  std::optional<uint32_t> filterbank;  // index of audio.mel_filterbank
  std::vector<std::string> warnings;
};

/// What a source may do differently.
struct WhisperTensorRules {
  /// ggml's order over the same bytes, accepted with a warning (apr.md 9.14).
  bool may_reverse_dims = true;
  /// They are fixed sinusoids, which a converter can compute.
  bool may_lack_encoder_positions = false;
  /// More files follow.
  bool may_lack_any = false;
};

/// Finds every needed tensor and checks names and shapes: apr.md §10, cases 51 (after aliases), 76, 77, 79, 80.
Result<WhisperTensorMap> map_whisper_tensors(const WhisperDimensions& dimensions,
                                             std::span<const TensorInfo> tensors,
                                             const WhisperTensorRules& rules);

/// What inference needs of a whole model beyond map_whisper_tensors: cases 62, 78, 81.
Status check_whisper_vocabulary(const ModelMetadata& metadata);  // case 78 alone
Status check_whisper_model(const ModelMetadata& metadata, std::span<const TensorInfo> tensors);

}  // namespace susurrus
