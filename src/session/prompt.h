#pragma once
#include <vector>

#include "base/result.h"
#include "session/decode_options.h"
#include "session/whisper_model.h"

namespace susurrus {

/// Text sampled at a temperature above this is not fit to prompt what follows.
inline constexpr double kPromptResetTemperature = 0.5;

/// The tokens in front of a window's own.
struct Prompt {
  std::vector<uint32_t> tokens;
  /// How many of them, from the front, end with the first <|startoftranscript|>: the logits there tell speech from
  /// silence. A multilingual model's language stands right after.
  size_t head_count = 0;
};

/// [<|startofprev|>, the last n_text_ctx / 2 - 1 of options.prompt,] <|startoftranscript|>, [language, task,]
/// [<|notimestamps|>,] [options.prefix, cut by the sample length]. The bracketed ones where there is a prompt, a
/// multilingual model, no timestamps, a prefix. An empty `language` is not known yet: the first one stands in its place.
/// invalid_argument for ids outside the vocabulary, and for a prefix that the text context cannot hold.
Result<Prompt> make_prompt(const WhisperModel& model, const DecodeOptions& options,
                           std::string_view language);

/// Timestamps are asked for, and the vocabulary has them.
bool has_timestamps(const WhisperModel& model, const DecodeOptions& options);

/// Most tokens of one window, without regard to the prompt.
size_t sample_length(const WhisperModel& model, const DecodeOptions& options);

/// The code of the language that is fixed before any audio: the option's (a code or an English name, in letters of either
/// case), or that of a model of one language; empty when it has to be detected. invalid_argument for one that the model
/// does not know.
Result<FixedString<16>> fixed_language(const WhisperModel& model, const DecodeOptions& options);

/// Tokens of options.allowed_languages. invalid_argument for one that the model does not know.
Result<std::vector<uint32_t>> allowed_languages(const WhisperModel& model,
                                                const DecodeOptions& options);

/// Index of the latest timestamp that may come first; nullopt: any. Without the option the file's where it is a wider
/// limit than one second, else 1 s.
std::optional<uint32_t> max_initial_timestamp_index(const WhisperModel& model,
                                                    const DecodeOptions& options);

}  // namespace susurrus
