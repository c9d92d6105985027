#pragma once
#include <cstdint>
#include <span>

#include "session/mel_frames.h"
#include "session/results.h"

namespace susurrus {

/// What is known of a window apart from its segments.
struct SpokenWindow {
  WindowPlace place;
  /// Frames of a full window, whatever its content.
  uint64_t window_frames = 0;
  /// Frames of the recording; kUnknownFrames for a stream that has not ended.
  uint64_t content_frames = 0;
  bool is_single_timestamp_ending = false;
  /// Seconds at which earlier windows' speech ended; 0 before any.
  double last_speech_end = 0;
};

struct SilenceSkip {
  /// Segments before this index stay, the others are taken for invented amid silence.
  size_t kept_count = 0;
  /// The window is decoded again from after the silence at its beginning: nothing of it counts.
  bool is_window_dropped = false;
  uint64_t next_seek = 0;
};

/// Where the next window begins by the words of this one: at the end of the last, where the window does not end in a
/// single timestamp; `next_seek` where there is none.
uint64_t seek_by_words(std::span<const Segment> segments, const SpokenWindow& window,
                       uint64_t next_seek);

/// Looks for segments with improbable words next to more than `threshold` seconds without any, and skips the silence
/// instead (the reference's hallucination_silence_threshold). `next_seek`: where it would go on otherwise. The segments
/// have their words.
SilenceSkip skip_silence(std::span<const Segment> segments, const SpokenWindow& window,
                         double threshold, uint64_t next_seek);

}  // namespace susurrus
