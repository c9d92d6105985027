#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace susurrus {

/// The texts of a transducer's tokens, and their properties that the search needs.
class TransducerVocabulary {
 public:
  /// Takes over the texts; SentencePiece's mark of a word's beginning (U+2581) becomes a space.
  TransducerVocabulary(std::vector<std::string> texts, uint32_t blank);

  size_t size() const { return texts_.size(); }
  uint32_t blank() const { return blank_; }
  std::string_view text(uint32_t token) const { return texts_[token]; }
  /// Begins with a space.
  bool begins_word(uint32_t token) const { return text(token).starts_with(' '); }
  /// Is ".", "!" or "?".
  bool ends_sentence(uint32_t token) const;
  bool is_comma(uint32_t token) const { return text(token) == ","; }
  bool begins_with_digit(uint32_t token) const;

 private:
  std::vector<std::string> texts_;
  uint32_t blank_;
};

}  // namespace susurrus
