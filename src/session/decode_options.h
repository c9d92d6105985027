#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/fixed_string.h"
#include "base/result.h"
#include "session/encoder_context.h"
#include "session/json_option.h"

namespace susurrus {

enum class Task : uint8_t { transcribe, translate };

/// A phrase to prefer to others that sound like it.
struct Hotword {
  std::string text;
  /// Added to the logits of its tokens.
  float weight = 0;
};

#include "facts/option_defaults.inc"

// Options that are a number, a flag or a text come from scripts/facts/options.json: a row there makes the member here, its
// range and its reading. What needs more than that is written out.

/// Options of one attempt at one window: the reference's DecodingOptions, and what goes beyond them.
struct DecodeOptions {
#include "facts/decode_fields.inc"
  /// A language code ("en"), or "auto": detected from the window.
  FixedString<16> language = "auto";
  /// What "auto" may choose from; empty: every language of the model.
  std::vector<FixedString<16>> allowed_languages;
  Task task = Task::transcribe;
  bool timestamps = true;
  double temperature = 0;
  /// Samples drawn at temperatures above 0, of which the most probable is kept.
  uint32_t best_of = 1;
  /// nullopt: the file's list or the non-speech tokens. A -1 within stands for them. Empty: no suppression at all.
  std::optional<std::vector<int64_t>> suppress_tokens;
  /// Seconds; nullopt: the file's, or 1 s. 0 sets no limit, as in the reference.
  std::optional<double> max_initial_timestamp;
  /// The first timestamp may be any.
  bool has_no_max_initial_timestamp = false;
  /// Tokens of text before the window; cut to the last n_text_ctx / 2 - 1.
  std::vector<uint32_t> prompt;
  /// Tokens that the window's text begins with; not part of the result.
  std::vector<uint32_t> prefix;
  std::vector<Hotword> hotwords;
  /// Phrases that the text is restricted to; empty: any text.
  std::vector<std::string> allowed;
  /// An automatic one is fitted to each window.
  EncoderContext encoder_context;
  /// Mel frames with audio in the window: no timestamp may lie past them. nullopt: the whole window may be timed.
  std::optional<uint64_t> content_frames;
};

/// When an attempt is not good enough, and which temperatures follow. nullopt switches a threshold off.
struct FallbackOptions {
  std::vector<double> temperatures = SUSURRUS_DEFAULT_TEMPERATURES;
#include "facts/fallback_fields.inc"
  /// If no attempt is good enough, the most probable one stands. The reference keeps the last one, which is the most random.
  bool keeps_best = false;
};

/// Where the maximum of the log-mel, and with it the floor, is taken.
enum class Normalization : uint8_t { recording, window };

/// Options of a whole recording: the reference's transcribe(), and what goes beyond it.
struct TranscribeOptions {
#include "facts/recording_fields.inc"
  DecodeOptions
      decode;  // its prompt is the initial prompt; temperature and content_frames are set for each window
  FallbackOptions fallback;
  /// Seconds: start, end, start, end, …; an odd one runs to the end of the recording.
  std::vector<double> clip_timestamps = {0};
  bool word_timestamps = false;
  Normalization normalization = Normalization::recording;
  /// With Normalization::recording of a stream: so many samples come first, whose loudness alone counts. What is to be
  /// transcribed follows them, and times begin there.
  uint64_t loudness_samples = 0;
  /// A stream whose text was told already is heard again, to the text of a recording: with Normalization::window the loudest
  /// window so far counts, and the times of words do not move windows.
  bool is_heard_again = false;
  /// The language is detected anew in every window, and changes when the new one reaches min_language_probability. Windows end
  /// where another language begins.
  bool is_language_per_window = false;
  /// Exactly the reference, quirks included: no loop breaking, no contract on times, one language for the recording.
  bool is_openai_compatible = false;
};

namespace ranges {
#include "facts/option_ranges.inc"
}  // namespace ranges

/// What can be said of options without a model; invalid_argument names the first that is wrong, and its range.
Status check_options(const DecodeOptions& options);
Status check_options(const FallbackOptions& options);
/// All three.
Status check_options(const TranscribeOptions& options);

}  // namespace susurrus
