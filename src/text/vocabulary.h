#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "base/fixed_string.h"
#include "container/model_metadata.h"

namespace susurrus {

/// Token ids and their bytes. The order of ids is the merge rank of byte-level BPE.
class Vocabulary {
 public:
  Vocabulary() = default;
  /// Ids past the table may still exist: control tokens by the numeric rules (SpecialTokens).
  explicit Vocabulary(VocabularyBytes bytes);

  uint32_t token_count() const { return bytes_.token_count(); }
  /// Empty for an id without text.
  ByteSpan token(uint32_t id) const;
  /// The id whose bytes are exactly `piece`, the lowest one if several. Nullopt for an empty piece.
  std::optional<uint32_t> find(std::string_view piece) const;

 private:
  /// Where the id of that piece is, or would be.
  size_t slot_of(std::string_view piece) const;

  VocabularyBytes bytes_;
  std::vector<uint32_t> slots_;  // a hash table of ids, at most half full
};

}  // namespace susurrus
