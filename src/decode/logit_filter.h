#pragma once
#include <cstdint>
#include <span>

namespace susurrus {

/// Changes logits before a token is chosen: forbids tokens by setting theirs to -inf, or makes them likelier.
class LogitFilter {
 public:
  virtual ~LogitFilter() = default;
  /// `sampled` are the tokens of this window so far, without its prompt.
  virtual void apply(std::span<float> logits, std::span<const uint32_t> sampled) const = 0;
};

/// Sets logits [first, end) to -inf; what lies outside the vocabulary is ignored.
void forbid_range(std::span<float> logits, uint64_t first, uint64_t end);

}  // namespace susurrus
