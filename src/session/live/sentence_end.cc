#include "session/live/sentence_end.h"

#include <algorithm>

#include "text/white_space.h"

namespace susurrus {
namespace {

constexpr std::string_view kEnds[] = {".", "!", "?", "。", "！", "？", "…", "।", "؟"};
/// What may stand after the mark.
constexpr std::string_view kClosing[] = {"\"", "'", "”", "’", ")", "]", "»", "」", "』"};
constexpr std::string_view kAbbreviations[] = {"Mr", "Mrs", "Ms", "Dr", "St", "Prof", "vs", "No"};

bool remove_end(std::string_view& text, std::string_view end) {
  if (!text.ends_with(end)) return false;
  text.remove_suffix(end.size());
  return true;
}

}  // namespace

bool ends_sentence(std::string_view word) {
  std::string_view text = strip_white_space(word);
  while (std::ranges::any_of(kClosing, [&](auto mark) { return remove_end(text, mark); })) {
  }
  const bool is_full_stop = text.ends_with(".");
  if (!std::ranges::any_of(kEnds, [&](auto mark) { return remove_end(text, mark); })) return false;
  if (!is_full_stop) return true;
  // An initial, or the short form of a word.
  const bool is_initial = text.size() == 1 && text[0] >= 'A' && text[0] <= 'Z' && text[0] != 'I';
  return !is_initial && std::ranges::find(kAbbreviations, text) == std::end(kAbbreviations);
}

}  // namespace susurrus
