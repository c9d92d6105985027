#include "session/segment_filter.h"

#include <algorithm>
#include <span>
#include <utility>

#include "session/time_contract.h"
#include "session/window_sound.h"
#include "session/word_timing.h"

namespace susurrus {
namespace {

/// Moves the segments with text for which `is_invented` says yes.
template <typename Predicate>
void reject_if(std::vector<Segment>& segments, std::vector<Segment>& rejected, Decision reason,
               Predicate is_invented) {
  std::erase_if(segments, [&](Segment& segment) {
    if (!has_text(segment) || !is_invented(segment)) return false;
    segment.decision = reason;
    rejected.push_back(std::move(segment));
    return true;
  });
}

}  // namespace

SegmentFilter::Outcome SegmentFilter::filter(WindowSegments&& window, WindowPlace place,
                                             const RecordingMel& mel) {
  Outcome outcome = {.segments = std::move(window.segments),
                     .rejected = {},
                     .next_seek = window.next_seek,
                     .text_end = {},
                     .is_window_dropped = false};
  if (options_.word_timestamps && !options_.is_heard_again) {
    skip_silence_by_words(outcome, {.place = place,
                                    .window_frames = window_frames_,
                                    .content_frames = mel.content_frames(),
                                    .is_single_timestamp_ending = window.is_single_timestamp_ending,
                                    .last_speech_end = last_speech_end_});
    if (outcome.is_window_dropped) return outcome;
    last_speech_end_ = speech_end(outcome.segments).value_or(last_speech_end_);
  }
  if (window.rejected) outcome.rejected.push_back(std::move(*window.rejected));
  if (options_.is_openai_compatible) {
    clear_empty_segments(outcome.segments, outcome.rejected);
  } else {
    reject_invented(outcome, place, mel.quiet_frames());
    keep_contract(outcome, place);
    const bool is_used_up = outcome.next_seek == place.end();
    if (is_used_up && window.text_end && std::ranges::any_of(outcome.segments, has_text)) {
      outcome.text_end = std::max(*window.text_end, nearest_frame(text_end_));
    }
  }
  return outcome;
}

void SegmentFilter::skip_silence_by_words(Outcome& outcome, const SpokenWindow& spoken) {
  std::vector<Segment>& segments = outcome.segments;
  outcome.next_seek = seek_by_words(segments, spoken, outcome.next_seek);
  if (!options_.hallucination_silence_threshold) return;
  const SilenceSkip skip =
      skip_silence(segments, spoken, *options_.hallucination_silence_threshold, outcome.next_seek);
  for (Segment& segment : std::span(segments).subspan(skip.kept_count)) {
    if (!has_text(segment)) continue;
    segment.decision = Decision::dropped_silence;
    outcome.rejected.push_back(std::move(segment));
  }
  segments.resize(skip.kept_count);
  outcome.next_seek = skip.next_seek;
  outcome.is_window_dropped = skip.is_window_dropped;
}

void SegmentFilter::reject_invented(Outcome& outcome, WindowPlace place,
                                    const QuietFrames& frames) const {
  reject_if(outcome.segments, outcome.rejected, Decision::dropped_silence,
            [&](const Segment& segment) { return !is_heard(frames, place, segment); });
  // Music and noise become dots and notes, whose prompt makes more of them. They may be what is asked for, though.
  if (!options_.decode.allowed.empty()) return;
  reject_if(outcome.segments, outcome.rejected, Decision::dropped_no_speech,
            [](const Segment& segment) { return !has_words(segment.text); });
}

void SegmentFilter::keep_contract(Outcome& outcome, WindowPlace place) {
  const double begin = std::max(text_end_, frame_seconds(place.seek));
  keep_time_contract(outcome.segments, {begin, frame_seconds(place.end())}, outcome.rejected);
  if (!outcome.segments.empty()) text_end_ = outcome.segments.back().end;
  // Text that has been reported is not decoded again.
  outcome.next_seek = std::max(outcome.next_seek, nearest_frame(text_end_));
}

}  // namespace susurrus
