#include "session/live/said_before.h"

#include <algorithm>
#include <vector>

#include "base/utf8.h"
#include "text/unicode_class.h"

namespace susurrus {
namespace {

/// Longer repetitions are not looked for.
constexpr size_t kMostWords = 16;

/// Letters and digits alone, ASCII in lower case.
std::string plain(std::string_view word) {
  std::string text;
  while (!word.empty()) {
    const Utf8Step step = next_utf8(word);
    word.remove_prefix(step.byte_count);
    if (!is_letter(step.point) && !is_number(step.point)) continue;
    const bool is_upper = step.point >= U'A' && step.point <= U'Z';
    append_utf8(is_upper ? step.point + (U'a' - U'A') : step.point, text);
  }
  return text;
}

}  // namespace

void SaidBefore::add(std::string_view word) {
  std::string text = plain(word);
  if (text.empty()) return;
  words_.push_back(std::move(text));
  if (words_.size() > kMostWords) words_.pop_front();
}

size_t SaidBefore::repeated(std::span<const ProvisionalWord> words) const {
  std::vector<std::string> begun;
  for (const ProvisionalWord& word : words.first(std::min(words.size(), words_.size())))
    begun.push_back(plain(word.text));
  for (size_t count = begun.size(); count > 0; --count) {
    if (std::equal(begun.begin(), begun.begin() + static_cast<ptrdiff_t>(count),
                   words_.end() - static_cast<ptrdiff_t>(count)))
      return count;
  }
  return 0;
}

}  // namespace susurrus
