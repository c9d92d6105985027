#include "session/time_contract.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "session/window_segments.h"

namespace susurrus {
namespace {

// Times are compared as whole microseconds, so that sums of hundredths are exact.
using Ticks = int64_t;
constexpr double kTicksPerSecond = 1e6;
/// The resolution of word times.
constexpr Ticks kLeastLength = 10'000;

Ticks to_ticks(double seconds) {
  return static_cast<Ticks>(std::llround(seconds * kTicksPerSecond));
}
double to_seconds(Ticks ticks) { return static_cast<double>(ticks) / kTicksPerSecond; }

/// A word, or a segment without words.
struct Piece {
  double& start;
  double& end;
  Ticks least = 0;
};

std::vector<Piece> pieces_of(std::span<Segment> segments) {
  std::vector<Piece> pieces;
  for (Segment& segment : segments) {
    for (Word& word : segment.words) pieces.push_back({word.start, word.end, kLeastLength});
    if (!segment.words.empty()) continue;
    pieces.push_back({segment.start, segment.end, segment.text.empty() ? 0 : kLeastLength});
  }
  return pieces;
}

Ticks room_needed(Segment& segment) {
  Ticks sum = 0;
  for (const Piece& piece : pieces_of({&segment, 1})) sum += piece.least;
  return sum;
}

/// Pushes what overlaps to the right, then what stands over the end back to the left. There is room for all of them.
void lay_out(std::span<const Piece> pieces, Ticks begin, Ticks end) {
  for (const Piece& piece : pieces) {
    const Ticks start = std::max(to_ticks(piece.start), begin);
    begin = std::max(to_ticks(piece.end), start + piece.least);
    piece.start = to_seconds(start);
    piece.end = to_seconds(begin);
  }
  for (size_t i = pieces.size(); i-- > 0;) {
    const Piece& piece = pieces[i];
    const Ticks piece_end = std::min(to_ticks(piece.end), end);
    end = std::min(to_ticks(piece.start), piece_end - piece.least);
    piece.start = to_seconds(end);
    piece.end = to_seconds(piece_end);
  }
}

}  // namespace

void lengthen_last_words(std::span<Segment> segments, std::span<const double> timed_ends) {
  for (size_t i = 0; i < segments.size(); ++i) {
    if (segments[i].words.empty()) continue;
    Word& last = segments[i].words.back();
    if (to_ticks(last.end) > to_ticks(last.start) || timed_ends[i] <= last.end) continue;
    last.end = segments[i].end = timed_ends[i];
  }
}

void keep_time_contract(std::vector<Segment>& segments, TimeBounds bounds,
                        std::vector<Segment>& rejected) {
  const Ticks begin = to_ticks(bounds.begin);
  const Ticks end = std::max(begin, to_ticks(bounds.end));
  Ticks room = end - begin;
  std::vector<Segment> kept;
  for (Segment& segment : segments) {
    if (!has_text(segment)) clear_text(segment);
    const Ticks needed = room_needed(segment);
    if (to_ticks(segment.start) >= end) {
      segment.decision = Decision::dropped_past_end;
    } else if (to_ticks(segment.end) <= to_ticks(segment.start) || needed > room) {
      segment.decision = Decision::dropped_zero_length;
    } else {
      room -= needed;
      kept.push_back(std::move(segment));
      continue;
    }
    if (!segment.text.empty()) rejected.push_back(std::move(segment));
  }
  segments = std::move(kept);

  lay_out(pieces_of(segments), begin, end);
  for (Segment& segment : segments) {
    if (segment.words.empty()) continue;
    segment.start = segment.words.front().start;
    segment.end = segment.words.back().end;
  }
  std::erase_if(segments, [](const Segment& segment) { return segment.start >= segment.end; });
}

}  // namespace susurrus
