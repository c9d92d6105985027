#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fixed_string.h"
#include "text/vocabulary.h"

namespace susurrus {

/// Whisper's control tokens, found by name in the vocabulary, or by the official numeric rules where it has none
/// (whisper-sources.md §3.2).
struct SpecialTokens {
  uint32_t end_of_text = 0;
  uint32_t start_of_transcript = 0;
  uint32_t translate = 0;
  uint32_t transcribe = 0;
  uint32_t start_of_lm = 0;
  uint32_t start_of_previous = 0;
  uint32_t no_speech = 0;
  uint32_t no_timestamps = 0;
  uint32_t timestamp_begin = 0;
  uint32_t timestamp_count = 0;  // 1501 in every known model
  bool is_multilingual = false;

  struct Language {
    FixedString<16> code;
    uint32_t token = 0;
  };
  std::vector<Language> languages;  // in id order

  std::optional<uint32_t> language_token(std::string_view code) const;
  /// Empty for an id that is not a language.
  std::string_view language_code(uint32_t token) const;

  bool is_timestamp(uint32_t id) const {
    return id >= timestamp_begin && id - timestamp_begin < timestamp_count;
  }
  /// The first id past all of them.
  uint32_t end() const;
  /// Appends "<|transcribe|>", "<|1.08|>" and the like; nothing for another id.
  void append_name(uint32_t id, std::string& out) const;

  static SpecialTokens locate(const Vocabulary& vocabulary, uint32_t n_vocab,
                              std::optional<bool> is_multilingual);
};

}  // namespace susurrus
