#pragma once
#include <span>
#include <string>

#include "base/json_document.h"
#include "base/result.h"
#include "session/candidate_scorer.h"
#include "session/decode_options.h"
#include "session/language_detector.h"
#include "session/results.h"
#include "session/window_attempts.h"
#include "session/word_aligner.h"

namespace susurrus {

// Options and results as JSON, with the names of the JavaScript API: one way in and out for bindings and the native driver.

/// Reads transcribe()'s options: a missing member means the default, null switches a threshold or limit off, prompts are
/// token ids or text, which `tokenizer` turns into ids with a space in front. invalid_argument names the member that is
/// wrong or unknown, and its range.
Result<TranscribeOptions> parse_transcribe_options(JsonValue options, const Tokenizer& tokenizer);
/// The same for what works on one window (decode(), score(), align(), detectLanguage()): temperature 0 unless given, and
/// what concerns recordings alone is refused.
Result<TranscribeOptions> parse_window_options(JsonValue options, const Tokenizer& tokenizer);

/// `has_words`: word timestamps were asked for.
std::string to_json(const Segment& segment, bool has_words);
/// Words only where they are given.
std::string to_json(const WindowAttempts& window, const std::vector<Word>* words = nullptr);
std::string to_json(std::span<const Word> words);
std::string to_json(std::span<const CandidateScore> scores);
std::string to_json(std::span<const LanguageProbability> languages, const SpecialTokens& special);

}  // namespace susurrus
