#include "session/prompt.h"

#include <algorithm>
#include <cmath>

#include "text/language_names.h"

namespace susurrus {
namespace {

constexpr double kWindowSeconds = 30;

Status check_ids(std::string_view name, std::span<const uint32_t> ids, uint32_t n_vocab) {
  for (uint32_t id : ids) {
    if (id >= n_vocab) {
      return option_error(name, "token ids below " + std::to_string(n_vocab)).with_got(id);
    }
  }
  return ok_status();
}

/// The part of the prefix that fits beside a window's own tokens: Python's prefix[-n:] with n = half_context - samples, as
/// in the reference. So n = 0 keeps all of it, and a negative n drops the first -n tokens.
std::span<const uint32_t> cut_prefix(std::span<const uint32_t> prefix, size_t half_context,
                                     size_t samples) {
  if (samples == half_context) return prefix;
  if (samples > half_context) {
    return prefix.subspan(std::min(prefix.size(), samples - half_context));
  }
  return prefix.last(std::min(prefix.size(), half_context - samples));
}

/// The model's own code for a language given by code or name.
std::optional<FixedString<16>> known_language(const SpecialTokens& special, std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  if (special.language_token(lower)) return FixedString<16>(lower);
  auto code = language_code_of_name(lower);
  if (code && special.language_token(*code)) return FixedString<16>(*code);
  return std::nullopt;
}

}  // namespace

bool has_timestamps(const WhisperModel& model, const DecodeOptions& options) {
  return options.timestamps && model.special_tokens().timestamp_count > 0;
}

size_t sample_length(const WhisperModel& model, const DecodeOptions& options) {
  return options.sample_length.value_or(model.dimensions().n_text_ctx / 2);
}

Result<Prompt> make_prompt(const WhisperModel& model, const DecodeOptions& options,
                           std::string_view language) {
  const SpecialTokens& special = model.special_tokens();
  const WhisperDimensions& dimensions = model.dimensions();
  SUSURRUS_RETURN_IF_ERROR(check_ids("initialPrompt", options.prompt, dimensions.n_vocab));
  SUSURRUS_RETURN_IF_ERROR(check_ids("prefix", options.prefix, dimensions.n_vocab));
  const size_t half_context = dimensions.n_text_ctx / 2;
  const size_t most = half_context > 0 ? half_context - 1 : 0;
  auto previous = std::span(options.prompt).last(std::min(options.prompt.size(), most));
  auto prefix = cut_prefix(options.prefix, half_context, sample_length(model, options));

  Prompt prompt;
  std::vector<uint32_t>& tokens = prompt.tokens;
  if (!previous.empty()) {
    tokens.push_back(special.start_of_previous);
    tokens.insert(tokens.end(), previous.begin(), previous.end());
  }
  tokens.push_back(special.start_of_transcript);
  if (special.is_multilingual) {
    tokens.push_back(special.language_token(language).value_or(special.languages[0].token));
    tokens.push_back(options.task == Task::translate ? special.translate : special.transcribe);
  }
  if (!has_timestamps(model, options)) tokens.push_back(special.no_timestamps);
  tokens.insert(tokens.end(), prefix.begin(), prefix.end());

  const auto start = std::find(tokens.begin(), tokens.end(), special.start_of_transcript);
  prompt.head_count = static_cast<size_t>(start - tokens.begin()) + 1;
  if (tokens.size() <= dimensions.n_text_ctx) return prompt;
  const size_t room = dimensions.n_text_ctx - (tokens.size() - prefix.size());
  return option_error("prefix", "at most " + std::to_string(room) + " tokens beside this prompt")
      .with_got(uint64_t{prefix.size()});
}

Result<FixedString<16>> fixed_language(const WhisperModel& model, const DecodeOptions& options) {
  const SpecialTokens& special = model.special_tokens();
  const std::string_view wanted = options.language.view();
  const bool is_auto = wanted == "auto";
  if (special.is_multilingual) {
    if (is_auto) return FixedString<16>();
    if (auto known = known_language(special, wanted)) return *known;
    return option_error("language", "a language of this model, or auto").with_got(wanted);
  }
  // A fine-tune of an English-only model may be of another language, and says so by its only language token.
  const std::string_view own =
      special.languages.size() == 1 ? special.languages[0].code.view() : std::string_view("en");
  if (is_auto || wanted == own || language_code_of_name(wanted) == own) return FixedString<16>(own);
  return option_error("language", std::string(own) + " or auto").with_got(wanted);
}

Result<std::vector<uint32_t>> allowed_languages(const WhisperModel& model,
                                                const DecodeOptions& options) {
  const SpecialTokens& special = model.special_tokens();
  std::vector<uint32_t> tokens;
  if (!special.is_multilingual) return tokens;
  for (const auto& wanted : options.allowed_languages) {
    auto known = known_language(special, wanted.view());
    if (!known) return option_error("languages", "languages of this model").with_got(wanted.view());
    tokens.push_back(*special.language_token(known->view()));
  }
  return tokens;
}

std::optional<uint32_t> max_initial_timestamp_index(const WhisperModel& model,
                                                    const DecodeOptions& options) {
  const double limit = options.max_initial_timestamp.value_or(1.0);
  if (options.has_no_max_initial_timestamp || limit == 0) return std::nullopt;
  // In steps of 30 s / n_audio_ctx, whatever a window's length: so does the reference. Halves go to even.
  const double step = kWindowSeconds / model.dimensions().n_audio_ctx;
  const auto index = static_cast<uint32_t>(std::nearbyint(limit / step));
  if (options.max_initial_timestamp) return index;
  return std::max(model.metadata().max_initial_timestamp_index.value_or(0), index);
}

}  // namespace susurrus
