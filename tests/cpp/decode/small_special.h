// Control tokens of a small vocabulary.
#pragma once
#include "text/special_tokens.h"

namespace susurrus::testing {

/// `text_count` text tokens, then ten control tokens, twenty timestamps.
inline SpecialTokens small_special(uint32_t text_count = 10) {
  SpecialTokens special;
  special.end_of_text = text_count;
  special.start_of_transcript = text_count + 1;
  special.languages = {{"en", text_count + 2}, {"de", text_count + 3}, {"fr", text_count + 4}};
  special.translate = text_count + 5;
  special.transcribe = text_count + 6;
  special.start_of_lm = text_count + 7;
  special.start_of_previous = text_count + 8;
  special.no_speech = text_count + 9;
  special.no_timestamps = text_count + 10;
  special.timestamp_begin = text_count + 11;
  special.timestamp_count = 20;
  return special;
}

}  // namespace susurrus::testing
