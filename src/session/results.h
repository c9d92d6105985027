#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/fixed_string.h"

namespace susurrus {

/// Why text was kept, tried again or dropped. "kept", "retried:compression-ratio", "dropped:no-speech", … in JSON.
enum class Decision : uint8_t {
  kept,
  retried_compression_ratio,
  retried_log_probability,
  retried_repetition,
  retried_encoder_context,  // what a shortened encoder context made of it is in doubt: the window was encoded in full
  dropped_no_speech,
  dropped_silence,      // a hallucination amid silence
  dropped_past_end,     // timed after the end of the audio
  dropped_zero_length,  // a segment without length or without room for its words
  dropped_too_fast,     // more than anybody can say in the time
  /// Text in circles, cut off where no time says what follows: the rest of its window went with it. Or doubtful text that
  /// was said before.
  dropped_repetition,
};
const char* decision_name(Decision decision);
/// The text was dropped.
bool is_rejected(Decision decision);

/// One try at a window.
struct Attempt {
  double temperature = 0;
  float avg_logprob = 0;
  float no_speech_prob = 0;
  float compression_ratio = 0;
  /// Encoder positions that covered the window.
  uint32_t encoder_context = 0;
  /// Why it was not good enough; kept for the one whose text stands.
  Decision decision = Decision::kept;
  std::string text;
};

/// A word with its time in seconds; its text as spoken, white space included.
struct Word {
  std::string word;
  double start = 0;
  double end = 0;
  /// Mean probability of its tokens.
  float probability = 0;
};

/// One timed piece of text, with the reference's fields. Times in seconds.
struct Segment {
  uint32_t id = 0;
  /// First mel frame of the window it came from (10 ms each).
  uint64_t seek = 0;
  double start = 0;
  double end = 0;
  std::string text;              // UTF-8; bytes that are not become U+FFFD
  std::vector<uint32_t> tokens;  // timestamp tokens included
  /// Probability of each of them.
  std::vector<float> token_probabilities;
  double temperature = 0;
  float avg_logprob = 0;
  float compression_ratio = 0;
  float no_speech_prob = 0;
  /// Encoder positions that covered the window, in the attempt whose text is used.
  uint32_t encoder_context = 0;
  FixedString<16> language;
  /// Why the window's first attempt was not good enough, or why the text was dropped.
  Decision decision = Decision::kept;
  std::vector<Attempt> attempts;
  std::vector<Word> words;  // with word timestamps
};

/// One decoded window, as the reference's decode().
struct WindowResult {
  std::vector<uint32_t> tokens;  // without <|endoftext|>, timestamps included
  std::vector<float> token_logprobs;
  std::string text;
  float avg_logprob = 0;
  float no_speech_prob = 0;
  double temperature = 0;
  float compression_ratio = 0;
  uint32_t encoder_context = 0;
  FixedString<16> language;
  /// The limit of tokens came before the end of the text.
  bool is_unfinished = false;
  /// The text went round in circles and was cut back.
  bool is_loop_broken = false;
  /// What was cut off then.
  std::vector<uint32_t> cut_tokens;
  std::vector<float> cut_logprobs;
};

}  // namespace susurrus
