#include "session/decode_options.h"

#include <cmath>

#include "base/decimal.h"
#include "text/white_space.h"

namespace susurrus {
namespace {

Status check(std::string_view name, double number, const NumberRange& range) {
  if (range.holds(number)) return ok_status();
  return option_error(name, range.text).with_got(decimal_text(number, 6));
}

/// The seed, which only an option's text bounds: those of later windows are derived from it and have 64 bits.
Status check(std::string_view, uint64_t, const NumberRange&) { return ok_status(); }

template <typename T>
Status check(std::string_view name, const std::optional<T>& number, const NumberRange& range) {
  return number ? check(name, static_cast<double>(*number), range) : ok_status();
}

bool is_blank(std::string_view text) { return strip_white_space(text).empty(); }

}  // namespace

Status check_options(const DecodeOptions& options) {
#define SUSURRUS_OPTION_NUMBER(name, field, range) \
  SUSURRUS_RETURN_IF_ERROR(check(name, options.field, range));
#include "facts/decode_options.inc"
  SUSURRUS_RETURN_IF_ERROR(check("temperature", options.temperature, ranges::kTemperature));
  SUSURRUS_RETURN_IF_ERROR(check("bestOf", static_cast<double>(options.best_of), ranges::kBestOf));
  SUSURRUS_RETURN_IF_ERROR(
      check("maxInitialTimestamp", options.max_initial_timestamp, ranges::kMaxInitialTimestamp));
  for (const Hotword& hotword : options.hotwords) {
    SUSURRUS_RETURN_IF_ERROR(check("hotwords", hotword.weight, ranges::kHotwordWeight));
    if (is_blank(hotword.text)) return option_error("hotwords", "text that is not empty");
  }
  for (const std::string& phrase : options.allowed) {
    if (is_blank(phrase)) return option_error("allowed", "phrases that are not empty");
  }
  if (!options.patience) return ok_status();
  if (!options.beam_size) return option_error("patience", "none without beamSize");
  if (std::nearbyint(*options.beam_size * *options.patience) < 1) {
    return option_error("patience", "beamSize x patience to be 1 or more");
  }
  return ok_status();
}

Status check_options(const FallbackOptions& options) {
  if (options.temperatures.empty()) return option_error("temperature", "one at least");
  double last = -1;
  for (double temperature : options.temperatures) {
    SUSURRUS_RETURN_IF_ERROR(check("temperature", temperature, ranges::kTemperature));
    if (temperature <= last) return option_error("temperature", "a rising list");
    last = temperature;
  }
#define SUSURRUS_OPTION_NUMBER(name, field, range) \
  SUSURRUS_RETURN_IF_ERROR(check(name, options.field, range));
#include "facts/fallback_options.inc"
  return ok_status();
}

Status check_options(const TranscribeOptions& options) {
  SUSURRUS_RETURN_IF_ERROR(check_options(options.decode));
  SUSURRUS_RETURN_IF_ERROR(check_options(options.fallback));
  for (double seconds : options.clip_timestamps) {
    SUSURRUS_RETURN_IF_ERROR(check("clipTimestamps", seconds, ranges::kClipTimestamps));
  }
#define SUSURRUS_OPTION_NUMBER(name, field, range) \
  SUSURRUS_RETURN_IF_ERROR(check(name, options.field, range));
#include "facts/recording_options.inc"
  return ok_status();
}

}  // namespace susurrus
