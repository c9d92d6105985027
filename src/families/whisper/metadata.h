#pragma once
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace susurrus {

/// Whisper's ten integers, all positive.
struct WhisperDimensions {
  uint32_t n_vocab = 0;
  uint32_t n_audio_ctx = 0;
  uint32_t n_text_ctx = 0;
  uint32_t n_mels = 0;
  uint32_t n_audio_layer = 0;
  uint32_t n_text_layer = 0;
  uint32_t n_audio_head = 0;
  uint32_t n_text_head = 0;
  uint32_t n_audio_state = 0;
  uint32_t n_text_state = 0;
  bool operator==(const WhisperDimensions&) const = default;
};

/// What a file says about a Whisper and about no other family (apr.md §2.4).
struct WhisperMetadata {
  WhisperDimensions dimensions;
  std::optional<bool> is_multilingual;
  /// Absent (nullopt) means the defaults; an empty list means none (whisper-sources.md §4).
  std::optional<std::vector<uint32_t>> suppress_tokens;
  std::optional<std::vector<uint32_t>> begin_suppress_tokens;
  std::optional<uint32_t> max_initial_timestamp_index;
  /// (layer, head) pairs; empty when the file lists none.
  std::vector<std::pair<uint32_t, uint32_t>> alignment_heads;
};

}  // namespace susurrus
