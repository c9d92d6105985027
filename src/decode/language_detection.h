#pragma once
#include <span>
#include <vector>

#include "kernels/kernel_table.h"
#include "text/special_tokens.h"

namespace susurrus {

struct LanguageProbability {
  uint32_t token = 0;
  float probability = 0;
};

/// Softmax over the language tokens alone of the logits at <|startoftranscript|>, most probable first. Empty for a
/// model without languages. `allowed` (tokens; none: all) only hides the others: probabilities are shares of all
/// languages, so that a threshold means the same with any list.
std::vector<LanguageProbability> language_probabilities(const KernelTable& kernels,
                                                        std::span<const float> logits,
                                                        const SpecialTokens& special,
                                                        std::span<const uint32_t> allowed = {});

}  // namespace susurrus
