#include "decode/suppression.h"

#include <algorithm>
#include <limits>

#include "base/sort.h"
#include "text/non_speech_tokens.h"

namespace susurrus {
namespace {

void forbid(std::span<float> logits, std::span<const uint32_t> tokens) {
  for (uint32_t token : tokens) forbid_range(logits, token, uint64_t{token} + 1);
}

}  // namespace

void forbid_range(std::span<float> logits, uint64_t first, uint64_t end) {
  end = std::min<uint64_t>(end, logits.size());
  for (uint64_t i = first; i < end; ++i) logits[i] = -std::numeric_limits<float>::infinity();
}

void SuppressTokens::apply(std::span<float> logits, std::span<const uint32_t>) const {
  forbid(logits, tokens_);
}

void SuppressAtBegin::apply(std::span<float> logits, std::span<const uint32_t> sampled) const {
  if (sampled.empty()) forbid(logits, tokens_);
}

void SuppressNameless::apply(std::span<float> logits, std::span<const uint32_t>) const {
  for (uint64_t id = tokenizer_.special().end(); id < logits.size(); ++id) {
    if (tokenizer_.vocabulary().token(static_cast<uint32_t>(id)).empty()) {
      forbid_range(logits, id, id + 1);
    }
  }
}

std::vector<uint32_t> suppressed_tokens(const Tokenizer& tokenizer,
                                        const std::optional<std::vector<uint32_t>>& from_file,
                                        const std::optional<std::vector<int64_t>>& from_option) {
  if (from_option && from_option->empty()) return {};
  std::vector<uint32_t> tokens;
  bool is_own = !from_option;
  if (from_option) {
    for (int64_t token : *from_option) {
      if (token >= 0) tokens.push_back(static_cast<uint32_t>(token));
      is_own = is_own || token == -1;
    }
  }
  if (is_own) {
    const std::vector<uint32_t> own = from_file ? *from_file : non_speech_tokens(tokenizer);
    tokens.insert(tokens.end(), own.begin(), own.end());
  }
  const SpecialTokens& special = tokenizer.special();
  for (uint32_t token :
       {special.start_of_transcript, special.start_of_previous, special.start_of_lm,
        special.no_speech, special.translate, special.transcribe}) {
    tokens.push_back(token);
  }
  sort_unique(tokens);
  return tokens;
}

std::vector<uint32_t> suppressed_at_begin(const Tokenizer& tokenizer,
                                          const std::optional<std::vector<uint32_t>>& from_file) {
  if (from_file) return *from_file;
  std::vector<uint32_t> tokens = tokenizer.encode(" ");
  tokens.push_back(tokenizer.special().end_of_text);
  return tokens;
}

}  // namespace susurrus
