#pragma once
#include <optional>
#include <span>

#include "session/mel_frames.h"
#include "session/quiet_frames.h"
#include "session/transcriber.h"
#include "session/whisper_model.h"

namespace susurrus {

/// The log-mel of a recording as the reference's transcribe() sees it: a window's worth of zeros appended, and one
/// maximum for the whole; or, with Normalization::window, the maximum of each window for itself. Samples stay with the
/// caller, who lends the ranges asked for.
class RecordingMel {
 public:
  /// nullopt: the length is not known until end_audio(); Normalization::recording needs `loudness_samples` then, as
  /// TranscribeOptions have them. `is_rising`: with Normalization::window, that of the loudest window so far.
  RecordingMel(WhisperModel& model, std::optional<uint64_t> sample_count,
               Normalization normalization, uint64_t loudness_samples = 0, bool is_rising = false);

  /// Frames of the recording itself, without the zeros; kUnknownFrames before end_audio().
  uint64_t content_frames() const { return content_frames_; }

  /// The audio ends after `sample_count` samples, the loudness_samples included; a request that was not met is made anew.
  void end_audio(uint64_t sample_count);

  enum class Progress : uint8_t { need_audio, working, done };

  /// Looks for the maximum, a window of frames at a time. Call until done.
  Progress scan();
  /// Then: fills the model's mel window with frames [first, first + count), at most a window; what is left of it
  /// becomes 0.0. Never says working.
  Progress fill_window(uint64_t first, uint64_t count);

  /// Levels of the recording, or of its part so far, and of the window filled last.
  const QuietFrames& quiet_frames() const { return quiet_frames_; }
  /// Continues from saved levels. False if no recording can have them. A scan counts them all anew.
  bool resume(const TranscriptionState::QuietLevels& levels) {
    return normalization_ == Normalization::recording || quiet_frames_.set_levels(levels);
  }

  /// After need_audio: what to put into samples() before the same call again.
  AudioRequest request() const { return {origin_ + request_.begin, origin_ + request_.end}; }
  std::span<float> samples();

 private:
  /// The length is unknown from here on, and all counts from the next sample.
  void begin_stream(uint64_t origin);
  bool has_samples(uint64_t first, uint64_t count);
  float log_frames(uint64_t first, uint64_t count);
  /// The recording's own frames among the `count` from `first` on in the model's mel window.
  std::span<const float> own_frames(uint64_t first, uint64_t count) const;

  WhisperModel& model_;
  Normalization normalization_;
  uint64_t window_frames_;
  const uint64_t loudness_samples_;
  const bool is_rising_;
  uint64_t origin_ = 0;  // samples before the first frame
  uint64_t sample_count_;
  uint64_t content_frames_;
  uint64_t scan_end_ = 0;
  uint64_t scanned_ = 0;
  float maximum_;
  QuietFrames quiet_frames_;
  AudioRequest request_;
  bool is_waiting_ = false;
};

}  // namespace susurrus
