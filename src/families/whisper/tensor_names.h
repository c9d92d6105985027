#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace susurrus {

/// aprender's convention for a filterbank too large for JSON: f32 [n_mels, 201]; wins over the metadata's.
inline constexpr std::string_view kFilterbankTensorName = "audio.mel_filterbank";
inline constexpr std::string_view kEncoderPositionsName = "encoder.positional_embedding";

/// OpenAI's name for a tensor named by OpenAI, Hugging Face (with or without "model.") or APR writers
/// (whisper-sources.md §2, apr.md §7.2). Any other name comes back unchanged.
std::string canonical_tensor_name(std::string_view name);

/// The name that one of 47 or 48 bytes is the beginning of, where only one can be meant: writers of APR1 cut Hugging Face's
/// longest names (apr.md §7.1).
std::optional<std::string> complete_cut_tensor_name(std::string_view name);

/// What the hub calls a tensor of Whisper with this canonical name: "model.encoder.layers.0.fc1.weight".
std::string hub_tensor_name(std::string_view canonical_name);

}  // namespace susurrus
