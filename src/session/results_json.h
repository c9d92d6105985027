#pragma once
#include <span>
#include <string>
#include <vector>

#include "session/candidate_scorer.h"
#include "session/language_detector.h"
#include "session/live_recognition.h"
#include "session/results.h"
#include "session/window_attempts.h"
#include "session/word_aligner.h"

namespace susurrus {

// Results as JSON, with the names of the JavaScript API: one way out for bindings and the native driver.

/// `has_words`: word timestamps were asked for.
std::string to_json(const Segment& segment, bool has_words);
/// Events as an array of {type, id, time} and, for text, {start, end, text, words, tokens}; for a language {language, probability}.
std::string to_json(std::span<const LiveEvent> events);
/// Words only where they are given.
std::string to_json(const WindowAttempts& window, const std::vector<Word>* words = nullptr);
std::string to_json(std::span<const Word> words);
std::string to_json(std::span<const CandidateScore> scores);
std::string to_json(std::span<const LanguageProbability> languages, const SpecialTokens& special);

}  // namespace susurrus
