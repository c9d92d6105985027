#include "session/live/said_before.h"

#include <algorithm>
#include <vector>

#include "text/spoken_letters.h"

namespace susurrus {
namespace {

/// Longer repetitions are not looked for.
constexpr size_t kMostWords = 16;
/// A word alone may well be said twice.
constexpr size_t kLeastRepeat = 2;
constexpr double kHurriedShare = 0.5;

double seconds_of(std::span<const ProvisionalWord> words) {
  return words.back().end - words.front().start;
}

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

size_t before_hurried_repeat(std::span<const ProvisionalWord> words) {
  const auto is_same = [](const ProvisionalWord& a, const ProvisionalWord& b) {
    return spoken_letters(a.text) == spoken_letters(b.text);
  };
  for (size_t count = words.size() / 2; count >= kLeastRepeat; --count) {
    const auto end = words.last(count);
    const auto before = words.last(2 * count).first(count);
    if (std::ranges::equal(end, before, is_same) &&
        seconds_of(end) < kHurriedShare * seconds_of(before))
      return words.size() - count;
  }
  return words.size();
}

}  // namespace susurrus
