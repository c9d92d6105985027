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
/// The same for what works on one window (decode(), score(), align(), detectLanguage()): temperature 0 unless given, and
/// what concerns recordings alone is refused.
Result<TranscribeOptions> parse_window_options(JsonValue options, const Tokenizer& tokenizer);

}  // namespace susurrus
