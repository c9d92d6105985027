#include "session/live/said_before.h"

#include <algorithm>
#include <vector>

#include "text/spoken_letters.h"

namespace susurrus {
namespace {

/// Longer repetitions are not looked for.
constexpr size_t kMostWords = 16;

}  // namespace

void SaidBefore::add(std::string_view word) {
  std::string text = spoken_letters(word);
  if (text.empty()) return;
  words_.push_back(std::move(text));
  if (words_.size() > kMostWords) words_.pop_front();
}

size_t SaidBefore::repeated(std::span<const ProvisionalWord> words) const {
  std::vector<std::string> begun;
  for (const ProvisionalWord& word : words.first(std::min(words.size(), words_.size())))
    begun.push_back(spoken_letters(word.text));
  for (size_t count = begun.size(); count > 0; --count) {
    if (std::equal(begun.begin(), begun.begin() + static_cast<ptrdiff_t>(count),
                   words_.end() - static_cast<ptrdiff_t>(count)))
      return count;
  }
  return 0;
}

}  // namespace susurrus
