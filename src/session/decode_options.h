#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/fixed_string.h"
#include "base/result.h"
#include "session/audio_context.h"

namespace susurrus {

enum class Task : uint8_t { transcribe, translate };

/// A phrase to be heard rather than others that sound like it.
struct Hotword {
  std::string text;
  /// Added to the logits of its tokens; -20 … 20.
  float weight = 0;
};

/// Options of one attempt at one window: the reference's DecodingOptions, and what goes beyond them.
struct DecodeOptions {
  /// A language code ("en"), or "auto": detected from the window.
  FixedString<16> language = "auto";
  /// What "auto" may choose from; empty: every language of the model.
  std::vector<FixedString<16>> allowed_languages;
  Task task = Task::transcribe;
  bool timestamps = true;
  double temperature = 0;
  /// Samples drawn at temperatures above 0, of which the most probable is kept.
  uint32_t best_of = 1;
  /// Sequences kept by beam search at temperature 0; nullopt: greedy.
  std::optional<uint32_t> beam_size;
  std::optional<double> patience;
  /// 0 … 1; nullopt ranks by the mean log probability.
  std::optional<double> length_penalty;
  /// nullopt: the file's list or the non-speech tokens. A -1 within stands for them. Empty: no suppression at all.
  std::optional<std::vector<int64_t>> suppress_tokens;
  bool suppress_blank = true;
  /// Seconds; nullopt: the file's, or 1 s. 0 is no limit, as in the reference.
  std::optional<double> max_initial_timestamp;
  /// The first timestamp may be any.
  bool has_no_max_initial_timestamp = false;
  /// Tokens of text before the window; cut to the last n_text_ctx / 2 - 1.
  std::vector<uint32_t> prompt;
  /// Tokens that the window's text begins with; not part of the result.
  std::vector<uint32_t> prefix;
  /// Most tokens of one window; nullopt: n_text_ctx / 2.
  std::optional<uint32_t> sample_length;
  /// Of the generator that draws at temperatures above 0.
  uint64_t seed = 0;
  std::vector<Hotword> hotwords;
  /// Phrases that the text is restricted to; empty: any text.
  std::vector<std::string> allowed;
  /// Ends an attempt whose text goes round in circles and cuts it back to the first round.
  bool break_loops = true;
  /// An automatic one is fitted to each window.
  AudioContext audio_context;
  /// Mel frames with audio in the window: no timestamp may lie past them. nullopt: the whole window may be timed.
  std::optional<uint64_t> content_frames;
};

/// When an attempt is not good enough, and which temperatures follow. nullopt switches a threshold off.
struct FallbackOptions {
  std::vector<double> temperatures = {0.0, 0.2, 0.4, 0.6, 0.8, 1.0};
  std::optional<double> compression_ratio_threshold = 2.4;
  std::optional<double> logprob_threshold = -1.0;
  std::optional<double> no_speech_threshold = 0.6;
};

/// Where the maximum of the log-mel, and with it the floor, is taken.
enum class Normalisation : uint8_t { file, window };

/// Options of a whole recording: the reference's transcribe(), and what goes beyond it.
struct TranscribeOptions {
  DecodeOptions
      decode;  // its prompt is the initial prompt; temperature and content_frames are set for each window
  FallbackOptions fallback;
  bool condition_on_previous_text = true;
  /// The initial prompt stands before every window, not just the first.
  bool carry_initial_prompt = false;
  /// Seconds: start, end, start, end, …; an odd one runs to the end of the recording.
  std::vector<double> clip_timestamps = {0};
  bool word_timestamps = false;
  std::string prepend_punctuations = "\"'“¿([{-";
  std::string append_punctuations = "\"'.。,，!！?？:：”)]}、";
  /// Seconds of silence around which text is taken for invented; with word timestamps only.
  std::optional<double> hallucination_silence_threshold;
  Normalisation normalisation = Normalisation::file;
  /// The language is detected anew in every window, and changes when the new one reaches this probability.
  bool is_language_per_window = false;
  float min_language_probability = 0.5f;
  /// Exactly the reference, quirks included: no loop breaking, no contract on times, one language for the recording.
  bool is_openai_compatible = false;
};

/// What a numeric option may be; `text` says so in errors.
struct NumberRange {
  double least = 0;
  double most = 0;
  const char* text = "";
  bool holds(double number) const { return number >= least && number <= most; }
};
namespace ranges {
inline constexpr NumberRange kTemperature{0, 1, "0 to 1"};
inline constexpr NumberRange kSequences{1, 16, "1 to 16"};
inline constexpr NumberRange kPatience{1e-3, 16, "0.001 to 16"};
inline constexpr NumberRange kLengthPenalty{0, 1, "0 to 1"};
inline constexpr NumberRange kSeconds{0, 30, "0 to 30"};
inline constexpr NumberRange kSampleLength{1, 65535, "1 to 65535"};
inline constexpr NumberRange kSeed{0, 9007199254740991, "0 to 9007199254740991"};
inline constexpr NumberRange kHotwordWeight{-20, 20, "-20 to 20"};
inline constexpr NumberRange kProbability{0, 1, "0 to 1"};
inline constexpr NumberRange kThreshold{-1e9, 1e9, "a number"};
inline constexpr NumberRange kTime{0, 1e9, "0 or more"};
}  // namespace ranges

/// The error of an option that is out of its range, by its name in the JavaScript API.
Error option_error(std::string_view name, std::string_view expected);

/// What can be said of options without a model; invalid_argument names the first that is wrong, and its range.
Status check_options(const DecodeOptions& options);
Status check_options(const FallbackOptions& options);
/// All three.
Status check_options(const TranscribeOptions& options);

}  // namespace susurrus
