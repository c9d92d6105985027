#include "session/hallucination.h"

#include <algorithm>
#include <string_view>

namespace susurrus {
namespace {

// The default marks of both kinds. A word counts as punctuation where it stands here as a whole.
constexpr std::string_view kPunctuation = "\"'“¿([{-\"'.。,，!！?？:：”)]}、";
constexpr float kImprobable = 0.15f;
constexpr double kShortestWord = 0.133;  // seconds
constexpr double kLongestWord = 2.0;
constexpr double kScorePerMissingSecond = 15;
constexpr size_t kWordsLookedAt = 8;
constexpr double kAnomalousScore = 3;
constexpr double kScoreTolerance = 0.01;

}  // namespace

double word_anomaly_score(const Word& word) {
  const double duration = word.end - word.start;
  double score = word.probability < kImprobable ? 1.0 : 0.0;
  if (duration < kShortestWord) score += (kShortestWord - duration) * kScorePerMissingSecond;
  if (duration > kLongestWord) score += duration - kLongestWord;
  return score;
}

bool is_segment_anomaly(const Segment* segment) {
  if (segment == nullptr || segment->words.empty()) return false;
  double score = 0;
  size_t count = 0;
  for (const Word& word : segment->words) {
    if (kPunctuation.find(word.word) != std::string_view::npos) continue;
    score += word_anomaly_score(word);
    if (++count == kWordsLookedAt) break;
  }
  return score >= kAnomalousScore || score + kScoreTolerance >= static_cast<double>(count);
}

const Segment* next_words_segment(std::span<const Segment> segments) {
  const auto found =
      std::ranges::find_if(segments, [](const Segment& each) { return !each.words.empty(); });
  return found == segments.end() ? nullptr : &*found;
}

}  // namespace susurrus
