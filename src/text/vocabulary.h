#pragma once
#include <string>
#include <string_view>
#include <span>
#include <unordered_map>
#include <vector>

#include "container/model_metadata.h"

namespace susurrus {

/// Token ids and their bytes: decoding to UTF-8, and byte-level BPE where id order is merge rank.
class Vocabulary {
 public:
  Vocabulary() = default;
  /// `n_vocab` ids exist; those past the table are special tokens by the numeric rules (SpecialTokens).
  explicit Vocabulary(VocabularyBytes bytes);

  uint32_t token_count() const { return bytes_.token_count(); }
  /// Empty for an id without text.
  ByteSpan token(uint32_t id) const;
  /// The id whose bytes are exactly `piece`, the lowest one if several.
  std::optional<uint32_t> find(std::string_view piece) const;

 private:
  VocabularyBytes bytes_;
  std::vector<uint32_t> by_bytes_;  // ids sorted by their bytes
};

}  // namespace susurrus
