#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace susurrus {

/// What emissions stand for, and how text is made of them (bw2l.md §2.4).
struct TokenSettings {
  bool is_asg = false;
  /// Tokens "1" to "k": as many more copies of the token before.
  uint64_t replabel = 0;
  bool has_eos = false;
  std::string surround = {};
  /// Empty where the flags are missing: a token that starts with "_", "▁" or "|" then starts a word.
  std::string separator = "|";
  bool uses_word_pieces = false;
};

/// A token and the frames of emissions that it was read from.
struct DecodedToken {
  uint32_t token = 0;
  uint32_t first_frame = 0;
  uint32_t last_frame = 0;
};

struct DecodedWord {
  std::string text;
  uint32_t first_frame = 0;
  uint32_t last_frame = 0;
};

/// The tokens of a network's outputs.
class AcousticTokens {
 public:
  /// `listed` are those of the file; those that training appends follow as far as the network has outputs for them.
  /// malformed, subject "tokens": another number of outputs than tokens.
  static Result<AcousticTokens> make(std::vector<std::string> listed, const TokenSettings& settings,
                                     uint64_t output_count);
  /// With what training appends: what NLABEL stands for.
  static uint64_t label_count(const std::vector<std::string>& listed,
                              const TokenSettings& settings);

  size_t size() const { return names_.size(); }
  const std::string& name(uint32_t token) const { return names_[token]; }
  const TokenSettings& settings() const { return settings_; }
  /// CTC only.
  uint32_t blank() const { return blank_; }

  /// Runs of equal tokens without blanks become letters; replabels, what ends a sentence, and what surrounds it are taken away.
  std::vector<DecodedToken> tokens_of(std::span<const uint32_t> path) const;
  std::vector<DecodedWord> words_of(std::span<const DecodedToken> tokens) const;
  /// How many of a path's words no longer path changes: those that are followed by a separator, or by another word, in its first
  /// `final_frames`.
  size_t final_word_count(std::span<const DecodedWord> words, std::span<const uint32_t> path,
                          size_t final_frames) const;

 private:
  uint32_t replabel_of(uint32_t token) const;
  void trim(std::vector<DecodedToken>& tokens, std::string_view name) const;

  TokenSettings settings_;
  std::vector<std::string> names_;
  uint32_t blank_ = ~uint32_t{0};
};

/// The words with one space between them.
std::string text_of(std::span<const DecodedWord> words);

}  // namespace susurrus
