#include "session/results.h"

namespace susurrus {

const char* decision_name(Decision decision) {
  switch (decision) {
    case Decision::kept: return "kept";
    case Decision::retried_compression_ratio: return "retried:compression-ratio";
    case Decision::retried_log_probability: return "retried:log-probability";
    case Decision::retried_repetition: return "retried:repetition";
    case Decision::retried_encoder_context: return "retried:encoder-context";
    case Decision::dropped_no_speech: return "dropped:no-speech";
    case Decision::dropped_silence: return "dropped:silence";
    case Decision::dropped_past_end: return "dropped:past-end";
    case Decision::dropped_zero_length: return "dropped:zero-length";
    case Decision::dropped_too_fast: return "dropped:too-fast";
    case Decision::dropped_repetition: return "dropped:repetition";
  }
  return "kept";
}

bool is_rejected(Decision decision) {
  switch (decision) {
    case Decision::dropped_no_speech:
    case Decision::dropped_silence:
    case Decision::dropped_past_end:
    case Decision::dropped_zero_length:
    case Decision::dropped_too_fast:
    case Decision::dropped_repetition: return true;
    default: return false;
  }
}

}  // namespace susurrus
