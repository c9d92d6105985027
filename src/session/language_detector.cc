#include "session/language_detector.h"

namespace susurrus {
namespace {

constexpr float kDoubtfulProbability = 0.5f;

}  // namespace

Result<bool> LanguageDetector::step() {
  const SpecialTokens& special = model_.special_tokens();
  if (!is_encoded_) {
    if (!model_.encode_step()) return false;
    is_encoded_ = true;
    if (first_ > 0) {
      model_.reset_decoder_within(first_, model_.encoded_positions() - first_);
    } else {
      model_.reset_decoder();
    }
    if (!special.is_multilingual) return true;
    const uint32_t start[] = {special.start_of_transcript};
    SUSURRUS_RETURN_IF_ERROR(model_.begin_decode(start));
    return false;
  }
  if (!special.is_multilingual) return true;
  if (!model_.decode_step()) return false;
  probabilities_ = language_probabilities(model_.kernels(), model_.logits(), special, allowed_);
  model_.reset_decoder();
  if (!is_shortened(model_, context_) || probabilities_[0].probability >= kDoubtfulProbability) {
    return true;
  }
  is_encoded_ = false;
  SUSURRUS_RETURN_IF_ERROR(begin_encode(model_, {}));
  return false;
}

std::string_view LanguageDetector::language() const {
  if (probabilities_.empty()) return {};
  return model_.special_tokens().language_code(probabilities_[0].token);
}

}  // namespace susurrus
