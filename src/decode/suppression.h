#pragma once
#include <vector>

#include "decode/logit_filter.h"
#include "text/tokenizer.h"

namespace susurrus {

/// Tokens that are never sampled.
class SuppressTokens : public LogitFilter {
 public:
  explicit SuppressTokens(std::vector<uint32_t> tokens) : tokens_(std::move(tokens)) {}
  void apply(std::span<float> logits, std::span<const uint32_t> sampled) const override;

 private:
  std::vector<uint32_t> tokens_;
};

/// Tokens that are never the first one: the blank, and the end.
class SuppressAtBegin : public LogitFilter {
 public:
  explicit SuppressAtBegin(std::vector<uint32_t> tokens) : tokens_(std::move(tokens)) {}
  void apply(std::span<float> logits, std::span<const uint32_t> sampled) const override;

 private:
  std::vector<uint32_t> tokens_;
};

/// Ids without text: rows that pad an enlarged vocabulary, past the control tokens.
class SuppressNameless : public LogitFilter {
 public:
  explicit SuppressNameless(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {}
  void apply(std::span<float> logits, std::span<const uint32_t> sampled) const override;

 private:
  const Tokenizer& tokenizer_;
};

/// The list of a model (whisper-sources.md §4): its file's, which may be empty, else the non-speech tokens; and always the
/// control tokens that steer a prompt. Ascending.
std::vector<uint32_t> suppressed_tokens(const Tokenizer& tokenizer,
                                        const std::optional<std::vector<uint32_t>>& from_file);
/// The file's, else the tokens of " " and <|endoftext|>.
std::vector<uint32_t> suppressed_at_begin(const Tokenizer& tokenizer,
                                          const std::optional<std::vector<uint32_t>>& from_file);

}  // namespace susurrus
