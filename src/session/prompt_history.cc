#include "session/prompt_history.h"

#include <algorithm>

namespace susurrus {
namespace {

/// The reference takes the last `count` by slicing from -count: all for 0, and all but the first |count| below.
std::span<const uint32_t> last_of(std::span<const uint32_t> tokens, int64_t count) {
  if (count > 0) return tokens.last(std::min(tokens.size(), static_cast<size_t>(count)));
  return tokens.subspan(std::min(tokens.size(), static_cast<size_t>(-count)));
}

}  // namespace

PromptHistory::PromptHistory(std::vector<uint32_t> initial, bool is_carried, uint32_t n_text_ctx)
    : tokens_(std::move(initial)),
      initial_count_(tokens_.size()),
      is_carried_(is_carried),
      most_(n_text_ctx / 2 > 0 ? n_text_ctx / 2 - 1 : 0) {}

std::vector<uint32_t> PromptHistory::prompt() const {
  const std::span<const uint32_t> all = tokens_;
  if (!is_carried_) {
    // More than that would only be copied to be cut.
    const auto recent = last_of(all.subspan(prompt_begin_), static_cast<int64_t>(most_));
    return {recent.begin(), recent.end()};
  }
  std::vector<uint32_t> prompt(all.begin(), all.begin() + static_cast<ptrdiff_t>(initial_count_));
  const auto room = static_cast<int64_t>(most_) - static_cast<int64_t>(initial_count_);
  const auto recent = last_of(all.subspan(std::max(initial_count_, prompt_begin_)), room);
  prompt.insert(prompt.end(), recent.begin(), recent.end());
  return prompt;
}

void PromptHistory::append(std::span<const uint32_t> tokens) {
  tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
}

}  // namespace susurrus
