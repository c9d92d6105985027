#pragma once
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace susurrus {

/// Whisper's ten integers, all positive.
struct WhisperDimensions {
#define SUSURRUS_DIMENSION(name, api_name) uint32_t name = 0;
#include "facts/whisper_dimensions.inc"
#undef SUSURRUS_DIMENSION
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
