#include "text/word_split.h"

#include <algorithm>

#include "base/utf8.h"
#include "text/white_space.h"

namespace susurrus {
namespace {

constexpr std::string_view kUnspacedLanguages[] = {"zh", "ja", "th", "lo", "my", "yue"};
// string.punctuation of Python. A run of it counts as punctuation where it stands here as a whole.
constexpr std::string_view kPunctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";

/// Marks the characters of valid UTF-8 that are U+FFFD.
std::vector<bool> find_replacements(std::string_view text) {
  std::vector<bool> found;
  while (!text.empty()) {
    const Utf8Step step = next_utf8(text);
    found.push_back(step.point == kReplacementCharacter);
    text.remove_prefix(step.byte_count);
  }
  return found;
}

bool begins_word(const SplitWord& piece, uint32_t end_of_text) {
  return piece.tokens.front() >= end_of_text || piece.text.starts_with(' ') ||
         kPunctuation.find(strip_white_space(piece.text)) != std::string_view::npos;
}

}  // namespace

std::vector<SplitWord> split_at_characters(const Tokenizer& tokenizer,
                                           std::span<const uint32_t> ids) {
  const std::vector<bool> whole = find_replacements(tokenizer.decode_with_timestamps(ids));
  size_t place = 0;  // in characters of the whole

  std::vector<SplitWord> pieces;
  size_t begin = 0;
  for (size_t end = 1; end <= ids.size(); ++end) {
    const auto tokens = ids.subspan(begin, end - begin);
    std::string text = tokenizer.decode_with_timestamps(tokens);
    const std::vector<bool> characters = find_replacements(text);
    const auto first = std::ranges::find(characters, true);
    if (first != characters.end()) {
      // Bytes that are not a character are a piece only if the tokens that follow do not make one of them.
      const size_t same = place + static_cast<size_t>(first - characters.begin());
      if (same >= whole.size() || !whole[same]) continue;
    }
    pieces.push_back({std::move(text), {tokens.begin(), tokens.end()}});
    place += characters.size();
    begin = end;
  }
  return pieces;
}

std::vector<SplitWord> split_words(const Tokenizer& tokenizer, std::string_view language,
                                   std::span<const uint32_t> ids) {
  std::vector<SplitWord> pieces = split_at_characters(tokenizer, ids);
  if (std::ranges::find(kUnspacedLanguages, language) != std::end(kUnspacedLanguages)) {
    return pieces;
  }
  std::vector<SplitWord> words;
  for (SplitWord& piece : pieces) {
    if (words.empty() || begins_word(piece, tokenizer.special().end_of_text)) {
      words.push_back(std::move(piece));
    } else {
      words.back().text += piece.text;
      words.back().tokens.insert(words.back().tokens.end(), piece.tokens.begin(),
                                 piece.tokens.end());
    }
  }
  return words;
}

}  // namespace susurrus
