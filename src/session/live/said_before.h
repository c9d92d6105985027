#pragma once
#include <deque>
#include <span>
#include <string>
#include <string_view>

#include "session/live/commit_policy.h"

namespace susurrus {

/// The last words of a stream, to notice a hypothesis that begins with them once more: its prompt ends with them, and a model that
/// hears little says its prompt again.
class SaidBefore {
 public:
  void add(std::string_view word);
  /// How many of `words`, from the first one on, are the last ones before; case and punctuation do not count.
  size_t repeated(std::span<const ProvisionalWord> words) const;

 private:
  std::deque<std::string> words_;
};

/// How many of `words` stand before an end that says those before it once more, in less than half of their time: models do that where
/// the sound is over. All of them, where there is no such end.
size_t before_hurried_repeat(std::span<const ProvisionalWord> words);

}  // namespace susurrus
