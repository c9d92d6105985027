#pragma once
#include <cstddef>
#include <span>

#include "session/results.h"
#include "session/time_contract.h"

namespace susurrus {

/// What a window sounds like: normalised log-mel, time-major [frames, n_mels], a frame every 10 ms.
struct WindowMel {
  std::span<const float> frames;
  size_t n_mels = 0;
  /// Seconds of the first frame.
  double begin = 0;
};

/// Moves the starts and ends of words to where the sound has them, with their segments': attention lags behind by a tenth of a second,
/// and a pause belongs to no word. Words and segments keep to the contract of keep_time_contract() if they did so before, and nothing
/// leaves `bounds`. Where the sound gives no place to every word, all stay where they are.
void refine_word_edges(std::span<Segment> segments, const WindowMel& mel, TimeBounds bounds);

}  // namespace susurrus
