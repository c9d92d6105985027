#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "session/decode_options.h"
#include "session/recording_mel.h"
#include "session/silence_skip.h"
#include "session/window_segments.h"

namespace susurrus {

/// Which segments of a recording's windows stand. One for each recording; its windows come in order.
class SegmentFilter {
 public:
  /// `options` must outlive this object. `window_frames`: of a full window.
  SegmentFilter(const TranscribeOptions& options, uint64_t window_frames)
      : options_(options), window_frames_(window_frames) {}

  struct Outcome {
    std::vector<Segment> segments;
    /// `decision` holds the reason.
    std::vector<Segment> rejected;
    /// The beginning of the next window.
    uint64_t next_seek = 0;
    /// The mel frame at which text that stands was closed, where next_seek is the window's end all the same. Not in the
    /// reference's mode.
    std::optional<uint64_t> text_end;
    /// The window is decoded again from next_seek on: nothing of it counts.
    bool is_window_dropped = false;
  };
  /// `mel` holds the window. With word timestamps the segments have their words.
  Outcome filter(WindowSegments&& window, WindowPlace place, const RecordingMel& mel);

  /// Seconds, as the reference's heuristics have it.
  double last_speech_end() const { return last_speech_end_; }
  /// Seconds, of all segments so far.
  double text_end() const { return text_end_; }
  /// Goes on from there.
  void resume(double last_speech_end, double text_end) {
    last_speech_end_ = last_speech_end;
    text_end_ = text_end;
  }

 private:
  void skip_silence_by_words(Outcome& outcome, const SpokenWindow& spoken);
  void reject_invented(Outcome& outcome, WindowPlace place, const QuietFrames& frames) const;
  void keep_contract(Outcome& outcome, WindowPlace place);

  const TranscribeOptions& options_;
  uint64_t window_frames_;
  double last_speech_end_ = 0;
  double text_end_ = 0;
};

}  // namespace susurrus
