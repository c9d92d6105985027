#include "session/language_detector.h"

namespace susurrus {

Result<bool> LanguageDetector::step() {
  if (!is_encoded_) {
    if (!model_.encode_step()) return false;
    is_encoded_ = true;
    const uint32_t start[] = {model_.special_tokens().start_of_transcript};
    model_.reset_decoder();
    SUSURRUS_TRY(model_.begin_decode(start));
    return false;
  }
  if (!model_.decode_step()) return false;
  probabilities_ = language_probabilities(model_.logits(), model_.special_tokens());
  model_.reset_decoder();
  return true;
}

std::string_view LanguageDetector::language() const {
  if (probabilities_.empty()) return {};
  return model_.special_tokens().language_code(probabilities_[0].token);
}

}  // namespace susurrus
