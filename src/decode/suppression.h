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

/// The list in force (whisper-sources.md §4): the option's, in which -1 stands for the model's own; else the model's own:
/// its file's, which may be empty, or the non-speech tokens. Always with the control tokens that steer a prompt, but an
/// empty option is an empty list: nothing at all is suppressed. Ascending. Other negative numbers are ignored.
std::vector<uint32_t> suppressed_tokens(
    const Tokenizer& tokenizer, const std::optional<std::vector<uint32_t>>& from_file,
    const std::optional<std::vector<int64_t>>& from_option = std::nullopt);
/// The file's, else the tokens of " " and <|endoftext|>.
std::vector<uint32_t> suppressed_at_begin(const Tokenizer& tokenizer,
                                          const std::optional<std::vector<uint32_t>>& from_file);

}  // namespace susurrus
