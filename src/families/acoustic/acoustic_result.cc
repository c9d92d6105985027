#include "families/acoustic/acoustic_result.h"

#include <algorithm>
#include <cmath>

namespace susurrus {
namespace {

AcousticResult make_result(const AcousticPath& path, std::span<const DecodedToken> tokens,
                           std::span<const DecodedWord> words, double seconds) {
  const auto confidence = [&path](uint32_t first, uint32_t last) {
    double sum = 0;
    for (uint32_t t = first; t <= last; ++t) sum += static_cast<double>(path.log_probabilities[t]);
    return std::exp(sum / (last - first + 1));
  };
  AcousticResult result;
  for (const auto& [token, first, last] : tokens) {
    result.tokens.push_back(
        {token, first * seconds, (last + 1) * seconds, confidence(first, last)});
  }
  for (const auto& [text, first, last] : words) {
    result.words.push_back({text, first * seconds, (last + 1) * seconds, confidence(first, last)});
  }
  result.text = text_of(words);
  return result;
}

}  // namespace

AcousticResult spelt_result(const AcousticTokens& names, const AcousticPath& path,
                            double seconds_per_frame) {
  const std::vector<DecodedToken> tokens = names.tokens_of(path.tokens);
  const std::vector<DecodedWord> words = names.words_of(tokens);
  AcousticResult result = make_result(path, tokens, words, seconds_per_frame);
  result.final_word_count = names.final_word_count(words, path.tokens, path.final_frames);
  return result;
}

AcousticResult result_with_words(const AcousticTokens& names, const AcousticPath& path,
                                 std::span<const DecodedWord> words, double seconds_per_frame) {
  AcousticResult result = make_result(path, names.tokens_of(path.tokens), words, seconds_per_frame);
  result.final_word_count = static_cast<size_t>(std::ranges::count_if(
      words, [&path](const DecodedWord& word) { return word.last_frame < path.final_frames; }));
  return result;
}

}  // namespace susurrus
