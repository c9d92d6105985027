#include "session/prompt.h"

#include <algorithm>

namespace susurrus {

Prompt make_prompt(const WhisperModel& model, const DecodeOptions& options,
                   std::string_view language, std::span<const uint32_t> previous) {
  const SpecialTokens& special = model.special_tokens();
  const size_t half_context = model.dimensions().n_text_ctx / 2;
  const size_t most = half_context > 0 ? half_context - 1 : 0;
  previous = previous.last(std::min(previous.size(), most));

  Prompt prompt;
  if (!previous.empty()) {
    prompt.tokens.push_back(special.start_of_previous);
    prompt.tokens.insert(prompt.tokens.end(), previous.begin(), previous.end());
  }
  prompt.tokens.push_back(special.start_of_transcript);
  prompt.head_count = prompt.tokens.size();
  if (special.is_multilingual) {
    if (auto token = special.language_token(language)) prompt.tokens.push_back(*token);
    prompt.tokens.push_back(special.transcribe);
  }
  if (!options.timestamps) prompt.tokens.push_back(special.no_timestamps);
  return prompt;
}

Result<FixedString<16>> fixed_language(const WhisperModel& model, const DecodeOptions& options) {
  const SpecialTokens& special = model.special_tokens();
  std::string_view wanted = options.language.view();
  const bool is_auto = wanted == "auto";
  if (special.is_multilingual) {
    if (is_auto) return FixedString<16>();
    if (special.language_token(wanted)) return options.language;
  } else {
    // A fine-tune of an English-only model may be of another language, and says so by its only language token.
    std::string_view own =
        special.languages.size() == 1 ? special.languages[0].code.view() : std::string_view("en");
    if (is_auto || wanted == own) return FixedString<16>(own);
  }
  return make_error(ErrorCode::invalid_argument, ErrorReason::option)
      .about("language")
      .expecting(special.is_multilingual ? "a language of this model, or auto" : "en or auto")
      .having(wanted);
}

Status check_options(const DecodeOptions& options) {
  if (options.temperature == 0.0f) return ok_status();
  return make_error(ErrorCode::invalid_argument, ErrorReason::option)
      .about("temperature")
      .expecting("0");
}

uint32_t max_initial_timestamp_index(const WhisperModel& model) {
  // 1 s in steps of 30 s / n_audio_ctx, rounded: 50 in every official model.
  const uint32_t one_second = (model.dimensions().n_audio_ctx + 15) / 30;
  return std::max(model.metadata().max_initial_timestamp_index.value_or(0), one_second);
}

}  // namespace susurrus
