#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "session/decode_options.h"
#include "session/results.h"
#include "session/whisper_model.h"

namespace susurrus {

enum class StepResult : uint8_t {
  need_audio,
  working,
  segment_ready,
  /// Text that was dropped, with the reason.
  rejected_ready,
  done,
};

/// Samples of the recording that the next step needs: 16 kHz mono, [begin, end).
struct AudioRequest {
  uint64_t begin = 0;
  uint64_t end = 0;
};

/// One recording to text, the reference's transcribe(). With Normalisation::file a first pass finds the loudest mel value
/// of the whole file; then windows of 30 s are decoded, and the position moves on by the timestamps found. Audio stays
/// with the caller, who supplies the ranges asked for (at most one window and its margins), so any length runs in
/// bounded memory.
class Transcriber {
 public:
  /// `sample_count` samples at 16 kHz in all; nullopt for a stream whose end is not known, which needs
  /// Normalisation::window. The model must outlive this object and serve no other work meanwhile.
  static Result<std::unique_ptr<Transcriber>> create(WhisperModel& model,
                                                     const TranscribeOptions& options,
                                                     std::optional<uint64_t> sample_count);
  virtual ~Transcriber() = default;

  /// Does one bounded piece of work and says where it stands.
  virtual Result<StepResult> step() = 0;
  /// After need_audio. Requests of a stream never go back before an earlier request's begin.
  virtual AudioRequest audio_request() const = 0;
  /// Where the requested samples go (audio_request()'s size); fill it, then step() again.
  virtual std::span<float> audio_window() = 0;
  /// A stream has ended after `sample_count` samples: call instead of filling a window that reaches past them, then
  /// step() again.
  virtual void end_audio(uint64_t sample_count) = 0;
  /// After segment_ready or rejected_ready; the next step() goes on. A rejected one says why in its decision.
  virtual Segment take_segment() = 0;

  /// Language code; empty before it is known.
  virtual std::string_view language() const = 0;
  /// The whole text so far, decoded in one piece, so that a character cut by the end of a segment is whole.
  virtual std::string text() const = 0;
  /// Part of the audio that is behind us, 0 to 1; 0 while a stream's length is unknown.
  virtual double progress() const = 0;
};

}  // namespace susurrus
