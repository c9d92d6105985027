#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/fixed_string.h"
#include "base/json_document.h"
#include "base/result.h"

namespace susurrus {

/// What a transcription knows between two windows: all it takes to go on later, with the text that it would have had.
struct TranscriptionState {
  /// Seconds of text in one language.
  struct LanguageShare {
    FixedString<16> language;
    double seconds = 0;
    /// The highest of its windows; 0 where the caller named the language.
    double probability = 0;
  };
  /// The levels of the frames so far; see QuietFrames.
  struct QuietLevels {
    struct Count {
      uint32_t level = 0;
      uint32_t frames = 0;
    };
    std::vector<Count> counts;  // levels that rise
    uint64_t counted_end = 0;   // mel frames
  };

  uint64_t seek = 0;  // mel frames
  uint64_t clip = 0;  // index
  uint32_t segment_count = 0;
  uint32_t rejected_count = 0;
  uint64_t prompt_begin = 0;        // among the initial prompt and all tokens
  std::vector<uint32_t> tokens;     // of the segments that stand, one after the other
  FixedString<16> language;         // empty where each window has its own, before the first
  double language_probability = 0;  // as found; 0 where the caller named the language
  std::vector<LanguageShare> shares;
  double last_speech_end = 0;  // seconds
  double text_end = 0;         // seconds
  uint64_t unheard_end = 0;    // mel frames; up to here a text had left out what sounds
  uint64_t change = 0;         // mel frame at which the language changes
  QuietLevels quiet;
};

/// Leaves out the tokens, which the segments have.
std::string to_json(const TranscriptionState& state);

/// The error of a state that no transcription can have had; `subject` names the member.
Error state_error(std::string_view subject, std::string_view expected);

/// invalid_argument names the member that is missing or out of its range. What only a model or a recording can tell is left
/// to the transcriber.
Result<TranscriptionState> parse_transcription_state(JsonValue json);

}  // namespace susurrus
