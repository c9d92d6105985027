#pragma once
#include "base/json_document.h"
#include "base/result.h"
#include "session/decode_options.h"
#include "text/tokenizer.h"

namespace susurrus {

// Options as JSON, with the names of the JavaScript API: one way in for bindings and the native driver.

/// Reads transcribe()'s options: a missing member means the default, null switches a threshold or limit off, prompts are
/// token ids or text, which `tokenizer` turns into ids with a space in front. invalid_argument names the member that is
/// wrong or unknown, and its range.
Result<TranscribeOptions> parse_transcribe_options(JsonValue options, const Tokenizer& tokenizer);
/// Reads the options of calls on one window (decode(), score(), align(), detectLanguage()) in the
/// same way, but temperature is 0 by default and options that concern only recordings are rejected.
Result<TranscribeOptions> parse_window_options(JsonValue options, const Tokenizer& tokenizer);

}  // namespace susurrus
