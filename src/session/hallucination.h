#pragma once
#include <span>

#include "session/results.h"

namespace susurrus {

/// How little a word is like speech: improbable (1), shorter than 0.133 s (15 a second), longer than 2 s (1 a second).
double word_anomaly_score(const Word& word);

/// The first eight words of the segment that are not punctuation sum up to 3 or more, or to about 1 each. False for
/// nullptr and for a segment without words.
bool is_segment_anomaly(const Segment* segment);

/// The first segment that has words, or nullptr.
const Segment* next_words_segment(std::span<const Segment> segments);

}  // namespace susurrus
