#include "text/pre_split.h"

#include "base/utf8.h"
#include "text/unicode_class.h"

namespace susurrus {
namespace {

enum class CharacterClass { letter, number, space, other };

CharacterClass class_of(const Utf8Step& step) {
  if (!step.is_valid) return CharacterClass::other;
  if (is_letter(step.point)) return CharacterClass::letter;
  if (is_number(step.point)) return CharacterClass::number;
  return is_white_space(step.point) ? CharacterClass::space : CharacterClass::other;
}

/// The run of one class at the front of `text`.
struct Run {
  size_t byte_count = 0;
  size_t last_byte_count = 0;  // of its last character
  size_t character_count = 0;
};
Run run_of(CharacterClass kind, std::string_view text) {
  Run run;
  while (run.byte_count < text.size()) {
    Utf8Step step = next_utf8(text.substr(run.byte_count));
    if (class_of(step) != kind) break;
    run.byte_count += step.byte_count;
    run.last_byte_count = step.byte_count;
    ++run.character_count;
  }
  return run;
}

}  // namespace

size_t first_pre_token(std::string_view text) {
  for (std::string_view suffix : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"}) {
    if (text.starts_with(suffix)) return suffix.size();
  }
  size_t space = text[0] == ' ' && text.size() > 1 ? 1 : 0;
  CharacterClass kind = class_of(next_utf8(text.substr(space)));
  if (kind != CharacterClass::space) return space + run_of(kind, text.substr(space)).byte_count;

  // A run of white space leaves its last character to the word that follows it.
  Run run = run_of(CharacterClass::space, text);
  bool is_last = run.byte_count == text.size();
  return is_last || run.character_count == 1 ? run.byte_count
                                             : run.byte_count - run.last_byte_count;
}

}  // namespace susurrus
