#pragma once
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "session/results.h"
#include "session/word_aligner.h"
#include "text/special_tokens.h"

namespace susurrus {

/// The tokens of the segments' text in one row, without timestamps and control tokens: what a WordAligner is given.
std::vector<uint32_t> text_tokens(std::span<const Segment> segments, const SpecialTokens& special);

/// Marks that belong to a word: UTF-8, one after the other. A run of marks that stands in the list as a whole counts
/// as one of them, and so does a word that is empty or nothing but white space.
struct PunctuationMarks {
  /// Joined with the word that follows: opening quotes and brackets.
  std::string_view prepended;
  /// Joined with the word before: closing ones, commas, full stops.
  std::string_view appended;
};

/// Joins punctuation with the words it belongs to: text and tokens move over to them, an empty word stays behind. Times
/// remain as they were.
void merge_punctuations(std::vector<WordTiming>& words, const PunctuationMarks& marks);

/// Gives each segment its words, with times from the beginning of the recording, and moves the segments' own times to
/// those of their words (the reference's add_word_timestamps). `segments` come from one window, `words` are those of
/// text_tokens(segments), not yet merged; they are dealt out by token count, so a word that spans two segments goes to
/// the first. Words much longer than usual at the end of a sentence, or after a pause since `last_speech_end` (seconds;
/// 0 before any speech), are shortened. Without words a segment's times stay.
void add_word_timestamps(std::span<Segment> segments, std::vector<WordTiming>& words,
                         const SpecialTokens& special, const PunctuationMarks& marks,
                         double last_speech_end);

/// Seconds at which the last word ends, or the last segment where none has words; nullopt without segments.
std::optional<double> speech_end(std::span<const Segment> segments);

}  // namespace susurrus
