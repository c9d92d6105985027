#pragma once
#include "base/json_document.h"
#include "base/result.h"
#include "session/decode_options.h"
#include "session/live/commit_policy.h"
#include "text/tokenizer.h"

namespace susurrus {

/// How a Whisper transcribes live audio.
struct WhisperLiveOptions {
  TranscribeOptions transcribe;
  CommitPolicyKind policy = CommitPolicyKind::attention;
  /// Seconds of new sound after which there is a new hypothesis.
  double step_seconds = 1;
};

/// Options as the API has them: { policy, step, decode: those of transcribe() }.
Result<WhisperLiveOptions> parse_live_options(JsonValue options, const Tokenizer& tokenizer);

}  // namespace susurrus
