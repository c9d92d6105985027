#pragma once
#include <optional>

#include "decode/logit_filter.h"
#include "text/special_tokens.h"

namespace susurrus {

/// Keeps timestamps in order (whisper-sources.md §4): they come in pairs except right before <|endoftext|>, never
/// decrease, give no segment of length zero; the first token is one, not later than `max_initial_index`; and when all
/// timestamps together are more probable than every single text token, one is forced.
class TimestampRules : public LogitFilter {
 public:
  TimestampRules(const SpecialTokens& special, std::optional<uint32_t> max_initial_index)
      : special_(special), max_initial_index_(max_initial_index) {}
  /// Last of the filters: it weighs what the others have left.
  void apply(std::span<float> logits, std::span<const uint32_t> sampled) const override;

 private:
  void keep_order(std::span<float> logits, std::span<const uint32_t> sampled) const;

  const SpecialTokens& special_;
  std::optional<uint32_t> max_initial_index_;
};

}  // namespace susurrus
