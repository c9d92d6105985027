#include "families/transducer/transducer_vocabulary.h"

namespace susurrus {

TransducerVocabulary::TransducerVocabulary(std::vector<std::string> texts, uint32_t blank)
    : texts_(std::move(texts)), blank_(blank) {
  constexpr std::string_view kWordMark = "\xE2\x96\x81";
  for (std::string& text : texts_) {
    for (size_t at = 0; (at = text.find(kWordMark, at)) != std::string::npos; ++at) {
      text.replace(at, kWordMark.size(), " ");
    }
  }
}

bool TransducerVocabulary::ends_sentence(uint32_t token) const {
  const std::string_view text = this->text(token);
  return text == "." || text == "!" || text == "?";
}

bool TransducerVocabulary::begins_with_digit(uint32_t token) const {
  const std::string_view text = this->text(token);
  return !text.empty() && text[0] >= '0' && text[0] <= '9';
}

}  // namespace susurrus
