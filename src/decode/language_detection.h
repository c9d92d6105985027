#pragma once
#include <span>
#include <vector>

#include "text/special_tokens.h"

namespace susurrus {

struct LanguageProbability {
  uint32_t token = 0;
  float probability = 0;
};

/// Softmax over the language tokens alone of the logits at <|startoftranscript|>, most probable first. Empty for a
/// model without languages.
std::vector<LanguageProbability> language_probabilities(std::span<const float> logits,
                                                        const SpecialTokens& special);

}  // namespace susurrus
