#pragma once
#include <optional>

#include "decode/logit_filter.h"
#include "kernels/kernel_table.h"
#include "text/special_tokens.h"

namespace susurrus {

/// Keeps timestamps in order (whisper-sources.md §4): they come in pairs except right before <|endoftext|>, never
/// decrease, give no segment of length zero; the first token is one, not later than `max_initial_index`; and when all
/// timestamps together are more probable than every single text token, one is forced.
class TimestampRules : public LogitFilter {
 public:
  /// `last_index`, not part of the reference: the timestamp at which the audio ends. None is later, and no segment opens
  /// at it: once a segment is closed there, only <|endoftext|> follows. With 0 even the first token can only be that,
  /// which SuppressAtBegin forbids: nothing is left then, and a search ends without tokens.
  TimestampRules(const KernelTable& kernels, const SpecialTokens& special,
                 std::optional<uint32_t> max_initial_index,
                 std::optional<uint32_t> last_index = std::nullopt)
      : kernels_(kernels),
        special_(special),
        max_initial_index_(max_initial_index),
        last_index_(last_index) {}
  /// Last of the filters: it weighs what the others have left.
  void apply(std::span<float> logits, std::span<const uint32_t> sampled) const override;

 private:
  void keep_order(std::span<float> logits, std::span<const uint32_t> sampled) const;
  void keep_inside(std::span<float> logits, std::span<const uint32_t> sampled) const;

  const KernelTable& kernels_;
  const SpecialTokens& special_;
  std::optional<uint32_t> max_initial_index_;
  std::optional<uint32_t> last_index_;
};

}  // namespace susurrus
