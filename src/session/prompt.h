#pragma once
#include <span>
#include <vector>

#include "base/result.h"
#include "session/decode_options.h"
#include "session/whisper_model.h"

namespace susurrus {

/// The tokens in front of a window's own.
struct Prompt {
  std::vector<uint32_t> tokens;
  /// How many of them, from the front, end with <|startoftranscript|>: the logits there tell speech from silence.
  size_t head_count = 0;
};

/// [<|startofprev|>, the last n_text_ctx / 2 - 1 of `previous`,] <|startoftranscript|>, [language, task,]
/// [<|notimestamps|>]. The bracketed ones where there is previous text, a multilingual model, no timestamps.
Prompt make_prompt(const WhisperModel& model, const DecodeOptions& options,
                   std::string_view language, std::span<const uint32_t> previous);

/// The language that is fixed before any audio: the option's, or that of a model of one language; empty when it has to
/// be detected. invalid_argument for one that the model does not know.
Result<FixedString<16>> fixed_language(const WhisperModel& model, const DecodeOptions& options);

/// Options within what this version does; invalid_argument names the one that is not.
Status check_options(const DecodeOptions& options);

/// Index of the latest timestamp that may come first: the file's where it is a wider limit than one second, else 1 s.
uint32_t max_initial_timestamp_index(const WhisperModel& model);

}  // namespace susurrus
