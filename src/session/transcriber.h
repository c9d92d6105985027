#pragma once
#include <memory>
#include <optional>

#include "base/result.h"
#include "session/decode_options.h"
#include "session/engine.h"
#include "session/results.h"
#include "session/transcription_state.h"
#include "session/whisper_model.h"

namespace susurrus {

/// One recording to text, the reference's transcribe(). With Normalization::recording a first pass finds the loudest mel value
/// of the whole file; then windows of 30 s are decoded, and the position moves on by the timestamps found. Audio stays
/// with the caller, who supplies the ranges asked for (at most one window and its margins), so any length runs in
/// bounded memory.
class Transcriber : public Recognition {
 public:
  /// `sample_count` samples at 16 kHz in all; nullopt for a stream whose end is not known, which needs
  /// Normalization::window or loudness_samples. With the `state` of an earlier transcription of the same audio, with the
  /// same options, it goes on from there. The model must outlive this object and serve no other work meanwhile.
  static Result<std::unique_ptr<Transcriber>> create(WhisperModel& model,
                                                     const TranscribeOptions& options,
                                                     std::optional<uint64_t> sample_count,
                                                     std::optional<TranscriptionState> state = {});
  /// What take_event() gives as JSON.
  virtual Segment take_segment() = 0;
};

}  // namespace susurrus
