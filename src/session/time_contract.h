#pragma once
#include <span>
#include <vector>

#include "session/results.h"

namespace susurrus {

/// What a window's text may be timed within, in seconds: from the end of the text before it to the end of its audio.
struct TimeBounds {
  double begin = 0;
  double end = 0;
};

/// The alignment often leaves the last word of a segment without length. Such a word lasts as long as its segment did by
/// its timestamps: until `timed_ends`, seconds for each segment.
void lengthen_last_words(std::span<Segment> segments, std::span<const double> timed_ends);

/// Brings the times of one window's segments and words to the contract: inside `bounds`, one after the other without
/// overlap, every word and every segment with text at least 0.01 s long, a segment from its first word to its last.
/// What keeps it already stays where it is (to the microsecond); the rest is moved as little as it takes.
///
/// Text that begins after the end, has no length, or finds no room goes to `rejected`, in order, with the reason as its
/// decision. Segments without text or without length disappear.
void keep_time_contract(std::vector<Segment>& segments, TimeBounds bounds,
                        std::vector<Segment>& rejected);

}  // namespace susurrus
