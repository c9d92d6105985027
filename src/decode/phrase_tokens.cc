#include "decode/phrase_tokens.h"

#include <string>

#include "base/utf8.h"
#include "text/white_space.h"

namespace susurrus {
namespace {

/// Scripts whose words follow one another without spaces.
bool is_unspaced_script(char32_t point) {
  static constexpr char32_t kRanges[][2] = {
      {0x0E00, 0x0EFF},   // Thai, Lao
      {0x1000, 0x109F},   // Myanmar
      {0x1780, 0x17FF},   // Khmer
      {0x3040, 0x30FF},   // Hiragana, Katakana
      {0x31F0, 0x31FF},   // Katakana extensions
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

}  // namespace

PhraseTokens phrase_tokens(const Tokenizer& tokenizer, std::string_view phrase) {
  const std::string_view text = strip_white_space(phrase);
  if (text.empty()) return {};
  return {tokenizer.encode(" " + std::string(text)), tokenizer.encode(text),
          is_unspaced_script(next_utf8(text).point)};
}

}  // namespace susurrus
