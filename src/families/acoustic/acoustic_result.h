#pragma once
#include <string>
#include <vector>

#include "families/acoustic/token_decoding.h"

namespace susurrus {

/// A token or a word of a transcript. Times are in seconds from the recording's beginning.
struct AcousticToken {
  uint32_t token = 0;
  double start = 0;
  double end = 0;
  /// The mean, as a probability (0 to 1), of log softmax(emissions) of the tokens on the path, from its first to its last frame.
  double confidence = 0;
};
struct AcousticWord {
  std::string text;
  double start = 0;
  double end = 0;
  /// As that of a token; blanks between its letters count.
  double confidence = 0;
};

struct AcousticResult {
  std::string text;
  std::vector<AcousticWord> words;
  std::vector<AcousticToken> tokens;
  /// Words that later audio cannot change; after the last step, all of them.
  size_t final_word_count = 0;
};

/// A path through the frames: a token and its part of log softmax(emissions) for each.
struct AcousticPath {
  std::vector<uint32_t> tokens;
  std::vector<float> log_probabilities;
  /// The first frames, which no later frame changes.
  size_t final_frames = 0;
};

/// Tokens, and the words that they spell.
AcousticResult spelt_result(const AcousticTokens& names, const AcousticPath& path,
                            double seconds_per_frame);
/// Tokens with words that are already known.
AcousticResult result_with_words(const AcousticTokens& names, const AcousticPath& path,
                                 std::span<const DecodedWord> words, double seconds_per_frame);

}  // namespace susurrus
