#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "session/language_detector.h"
#include "session/window_decoder.h"

namespace susurrus {

/// How sure detection has to be, and what is decoded otherwise.
struct LanguageRule {
  /// Where the best language is at least this probable, it is taken.
  float sure = 0.8f;
  /// Languages are decoded that have at least this share of the best one's probability,
  float least_share = 0.1f;
  /// and at most so many.
  size_t most = 5;
  /// What counts is a text's mean log probability, and so much of the logarithm of its language's probability.
  float detection_weight = 0.15f;
  /// Mean log probability below which no text decides anything.
  float least_logprob = -1;
  /// The code of the language before; empty: none. Another one is never taken by detection alone: its text must be more probable.
  std::string_view before = {};
  /// Languages that detection found in sound just before, with their probabilities there, which they keep.
  std::span<const LanguageProbability> lately = {};
};
/// Nothing is decoded.
inline constexpr LanguageRule kDetectionAlone = {.sure = 0};

/// The language of a window: the detected one; or, where detection is unsure, the one whose text is most probable.
class LanguageChoice {
 public:
  /// Finishes an encoding that was begun (or is done). Texts are decoded greedily with `options`, without what a caller
  /// expects to hear (prompt, prefix, hot words, phrases), which is in one language.
  LanguageChoice(WhisperModel& model, DecodeOptions options, std::vector<uint32_t> allowed,
                 const LanguageRule& rule);

  /// True when done; the window is encoded then.
  Result<bool> step();
  /// The chosen one, then the others, the most probable first; the probabilities are those of detection.
  const std::vector<LanguageProbability>& probabilities() const { return found_; }
  /// A text decided: the chosen one need not be what detection found.
  bool is_by_text() const { return best_.has_value(); }

 private:
  void take_candidates();
  void add_candidate(uint32_t token);
  Status begin_text();
  void judge(const WindowResult& result);
  float probability_of(const LanguageProbability& own) const;

  WhisperModel& model_;
  DecodeOptions options_;
  const LanguageRule rule_;
  std::optional<LanguageDetector> detector_;
  std::vector<LanguageProbability> found_;
  size_t candidate_count_ = 0;  // of found_, from the front
  size_t index_ = 0;            // of the candidate that is being decoded
  std::unique_ptr<WindowDecoder> decoder_;
  std::optional<size_t> best_;
  float best_score_ = 0;
};

}  // namespace susurrus
