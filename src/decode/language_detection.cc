#include "decode/language_detection.h"

#include <algorithm>
#include <cmath>

#include "base/sort.h"
#include "decode/log_probability.h"

namespace susurrus {

std::vector<LanguageProbability> language_probabilities(const KernelTable& kernels,
                                                        std::span<const float> logits,
                                                        const SpecialTokens& special,
                                                        std::span<const uint32_t> allowed) {
  std::vector<float> values;
  for (const auto& language : special.languages) values.push_back(logits[language.token]);
  const double total = log_sum_exp(kernels, values);
  std::vector<LanguageProbability> result;
  for (size_t i = 0; i < values.size(); ++i) {
    const uint32_t token = special.languages[i].token;
    if (!allowed.empty() && std::ranges::find(allowed, token) == allowed.end()) continue;
    result.push_back({token, static_cast<float>(std::exp(values[i] - total))});
  }
  heap_sort(result, [](const LanguageProbability& a, const LanguageProbability& b) {
    return a.probability != b.probability ? a.probability > b.probability : a.token < b.token;
  });
  return result;
}

}  // namespace susurrus
