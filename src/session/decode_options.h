#pragma once
#include <cstdint>
#include <optional>

#include "base/fixed_string.h"

namespace susurrus {

/// Options of one window's decoding; already validated. The seam for beam search, sampling and the rest.
struct DecodeOptions {
  /// A language code ("en"), or "auto": detected from the window.
  FixedString<16> language = "auto";
  bool timestamps = true;
  float temperature = 0.0f;
};

/// Options of a whole recording (the reference's transcribe()).
struct TranscribeOptions {
  DecodeOptions decode;
  bool condition_on_previous_text = true;
  /// A window with no_speech_prob above this and avg_logprob not above the next one is skipped.
  float no_speech_threshold = 0.6f;
  float logprob_threshold = -1.0f;
};

}  // namespace susurrus
