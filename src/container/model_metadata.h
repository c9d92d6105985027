#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/aligned_buffer.h"
#include "base/bytes.h"
#include "base/fixed_string.h"
#include "families/whisper/metadata.h"

namespace susurrus {

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
  /// All tokens one after the other, and where each ends.
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

/// Metadata of a family that Susurrus cannot run: the whole numbers of its "architecture", by name.
struct OtherMetadata {
  std::vector<std::pair<std::string, uint64_t>> architecture;
  std::optional<uint64_t> find(std::string_view name) const {
    for (const auto& [key, number] : architecture) {
      if (key == name) return number;
    }
    return std::nullopt;
  }
};

/// What a file's metadata say, checked and in the form that inference uses (apr.md §2.4).
struct ModelMetadata {
  /// The family: "whisper". Files of families that nothing here runs can be inspected.
  FixedString<32> model_type;
  VocabularyBytes vocabulary;
  /// Vocabulary and filterbank stand after the weights and come later, if at all.
  bool vocabulary_follows = false;
  /// f32 [bands, bins] row-major, or empty: then the family's own.
  AlignedBuffer mel_filterbank;
  /// What this family alone has.
  std::variant<OtherMetadata, WhisperMetadata> family;

  /// Null of another family.
  WhisperMetadata* whisper() { return std::get_if<WhisperMetadata>(&family); }
  const WhisperMetadata* whisper() const { return std::get_if<WhisperMetadata>(&family); }
  const OtherMetadata* other() const { return std::get_if<OtherMetadata>(&family); }
};

}  // namespace susurrus
