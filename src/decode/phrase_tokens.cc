#include "decode/phrase_tokens.h"

#include <string>

#include "base/utf8.h"
#include "text/unicode_class.h"
#include "text/white_space.h"

namespace susurrus {
namespace {

/// Scripts whose words follow one another without spaces.
bool is_unspaced_letter(char32_t point) {
  static constexpr char32_t kRanges[][2] = {
      {0x0E00, 0x0EFF},   // Thai, Lao
      {0x1000, 0x109F},   // Myanmar
      {0x1780, 0x17FF},   // Khmer
      {0x3005, 0x3007},   // 々, 〆, 〇
      {0x3040, 0x312F},   // Hiragana, Katakana, Bopomofo
      {0x31A0, 0x31FF},   // Bopomofo and Katakana extensions
      {0x3400, 0x4DBF},   // Han
      {0x4E00, 0x9FFF},   // Han
      {0xF900, 0xFAFF},   // Han
      {0xFF66, 0xFF9F},   // halfwidth Katakana
      {0x20000, 0x3FFFF}  // Han
  };
  for (const auto& [first, last] : kRanges) {
    if (point >= first && point <= last) return true;
  }
  return false;
}

/// Decided by the first letter: digits and marks ("3月", "「東京」") belong to any script.
bool is_unspaced(std::string_view text) {
  while (!text.empty()) {
    const Utf8Step step = next_utf8(text);
    if (is_unspaced_letter(step.point)) return true;
    if (is_letter(step.point)) return false;
    text.remove_prefix(step.byte_count);
  }
  return false;
}

}  // namespace

PhraseTokens phrase_tokens(const Tokenizer& tokenizer, std::string_view phrase) {
  const std::string_view text = strip_white_space(phrase);
  if (text.empty()) return {};
  return {tokenizer.encode(" " + std::string(text)), tokenizer.encode(text), is_unspaced(text)};
}

}  // namespace susurrus
