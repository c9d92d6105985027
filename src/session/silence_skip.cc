#include "session/silence_skip.h"

#include <algorithm>
#include <limits>

#include "session/hallucination.h"
#include "session/word_timing.h"

namespace susurrus {
namespace {

/// The reference looks whether an invented text stands alone within this many seconds of the window's ends.
constexpr double kNearWindowEdge = 2.0;
/// It never goes on within the first second of the window it has just seen.
constexpr double kLeastSkip = 1.0;

}  // namespace

uint64_t seek_by_words(std::span<const Segment> segments, const SpokenWindow& window,
                       uint64_t next_seek) {
  const std::optional<double> end = speech_end(segments);
  if (window.is_single_timestamp_ending || !end || *end <= frame_seconds(window.place.seek)) {
    return next_seek;
  }
  return nearest_frame(*end);
}

SilenceSkip skip_silence(std::span<const Segment> segments, const SpokenWindow& window,
                         double threshold, uint64_t next_seek) {
  const WindowPlace place = window.place;
  const double begin = frame_seconds(place.seek);
  const double content_end = begin + frame_seconds(place.frame_count);
  const double window_end = frame_seconds(place.seek + window.window_frames);
  const double recording_end = window.content_frames == kUnknownFrames
                                   ? std::numeric_limits<double>::infinity()
                                   : frame_seconds(window.content_frames);

  SilenceSkip skip = {segments.size(), false, next_seek};
  const std::optional<double> last_end = speech_end(segments);
  if (!window.is_single_timestamp_ending && last_end && *last_end > begin &&
      !(window_end - *last_end > threshold)) {
    skip.next_seek = place.end();
  }

  const Segment* first = next_words_segment(segments);
  if (is_segment_anomaly(first)) {
    const double gap = first->start - begin;
    if (gap > threshold) return {0, true, place.seek + nearest_frame(gap)};
  }

  double spoken_until = window.last_speech_end;
  for (size_t i = 0; i < segments.size(); ++i) {
    const Segment& segment = segments[i];
    if (segment.words.empty()) continue;
    if (is_segment_anomaly(&segment)) {
      const Segment* next = next_words_segment(segments.subspan(i + 1));
      const double next_start = next != nullptr ? next->words.front().start : content_end;
      const bool is_silent_before = segment.start - spoken_until > threshold ||
                                    segment.start < threshold ||
                                    segment.start - begin < kNearWindowEdge;
      const bool is_silent_after = next_start - segment.end > threshold ||
                                   is_segment_anomaly(next) ||
                                   window_end - segment.end < kNearWindowEdge;
      if (is_silent_before && is_silent_after) {
        skip.kept_count = i;
        skip.next_seek = recording_end - segment.end < threshold
                             ? window.content_frames
                             : nearest_frame(std::max(begin + kLeastSkip, segment.start));
        break;
      }
    }
    spoken_until = segment.end;
  }
  return skip;
}

}  // namespace susurrus
