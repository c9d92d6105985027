#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/aligned_buffer.h"
#include "base/bytes.h"

namespace susurrus {

/// Whisper's ten integers, all positive.
struct WhisperDimensions {
#define SUSURRUS_DIMENSION(name, api_name) uint32_t name = 0;
#include "facts/whisper_dimensions.inc"
#undef SUSURRUS_DIMENSION
  bool operator==(const WhisperDimensions&) const = default;
};

/// Token id -> raw bytes, packed in one block of memory. May hold fewer tokens than n_vocab (apr.md §1.6).
class VocabularyBytes {
 public:
  VocabularyBytes() = default;
  VocabularyBytes(std::vector<uint8_t> bytes, std::vector<uint32_t> ends)
      : bytes_(std::move(bytes)), ends_(std::move(ends)) {}
  uint32_t token_count() const { return static_cast<uint32_t>(ends_.size()); }
  ByteSpan token(uint32_t id) const {
    uint32_t begin = id == 0 ? 0 : ends_[id - 1];
    return {bytes_.data() + begin, ends_[id] - begin};
  }
  /// All tokens behind each other, and where each ends.
  std::span<const uint8_t> bytes() const { return bytes_; }
  std::span<const uint32_t> ends() const { return ends_; }
  /// Keeps the first `count` tokens.
  void cut(uint32_t count) {
    if (count < token_count()) ends_.resize(count);
  }

 private:
  std::vector<uint8_t> bytes_;
  std::vector<uint32_t> ends_;
};

/// What a file's metadata say, checked and in the form that inference uses (apr.md §2.4).
struct ModelMetadata {
  /// "whisper"; a container with another type opens for inspection only.
  FixedString<32> model_type;
  WhisperDimensions dimensions;
  VocabularyBytes vocabulary;
  /// Vocabulary and filterbank stand behind the weights and come later, if at all.
  bool vocabulary_follows = false;
  /// f32 [n_mels, 201] row-major, or empty: then computed by the Slaney formula.
  AlignedBuffer mel_filterbank;
  std::optional<bool> is_multilingual;
  /// Absent (nullopt) means the defaults; an empty list means none (whisper-sources.md §4).
  std::optional<std::vector<uint32_t>> suppress_tokens;
  std::optional<std::vector<uint32_t>> begin_suppress_tokens;
  std::optional<uint32_t> max_initial_timestamp_index;
  /// (layer, head) pairs; empty when the file lists none.
  std::vector<std::pair<uint32_t, uint32_t>> alignment_heads;
};

}  // namespace susurrus
