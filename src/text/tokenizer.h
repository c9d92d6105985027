#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/special_tokens.h"
#include "text/vocabulary.h"

namespace susurrus {

/// Text to ids and back, as Whisper's reference does it: byte-level BPE whose ranks are the ids, Whisper's control
/// tokens located in the vocabulary, or named by the official rules where a vocabulary leaves them out.
class Tokenizer {
 public:
  Tokenizer(Vocabulary vocabulary, SpecialTokens special)
      : vocabulary_(std::move(vocabulary)), special_(std::move(special)) {}

  const Vocabulary& vocabulary() const { return vocabulary_; }
  const SpecialTokens& special() const { return special_; }

  /// Ids of ordinary text (UTF-8); control tokens spelt out in it are plain text.
  std::vector<uint32_t> encode(std::string_view text) const;

  /// The text of `ids` as UTF-8: timestamps are dropped, bytes that are not UTF-8 become U+FFFD.
  std::string decode(std::span<const uint32_t> ids) const;
  /// decode(), but timestamps are written as <|1.08|>.
  std::string decode_with_timestamps(std::span<const uint32_t> ids) const;
  /// The bytes of `ids` joined, timestamps dropped, not validated.
  std::string decode_bytes(std::span<const uint32_t> ids) const;

  /// Appends the bytes of one id: from the vocabulary, or the name of a control token or timestamp. Nothing for an id
  /// without text.
  void append_token(uint32_t id, std::string& bytes) const;

 private:
  Vocabulary vocabulary_;
  SpecialTokens special_;
};

}  // namespace susurrus
