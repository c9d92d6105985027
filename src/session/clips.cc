#include "session/clips.h"

#include <algorithm>

#include "session/decode_options.h"

namespace susurrus {

Result<Clips> Clips::create(std::span<const double> seconds, Order order) {
  Clips result;
  double last = 0;
  for (size_t i = 0; i < seconds.size(); ++i) {
    if (order == Order::rising && seconds[i] < last) {
      return option_error("clipTimestamps", "none before an earlier one");
    }
    last = seconds[i];
    const uint64_t frame = nearest_frame(seconds[i]);
    if (i % 2 == 0) {
      result.clips_.push_back({frame, kUnknownFrames});
    } else {
      result.clips_.back().end = frame;
    }
  }
  if (result.clips_.empty()) result.clips_.push_back({});
  return result;
}

std::optional<WindowPlace> Clips::next_window(uint64_t seek, uint64_t content_frames,
                                              uint64_t window_frames) {
  while (index_ < clips_.size()) {
    const uint64_t end = std::min(clips_[index_].end, content_frames);
    seek = std::max(seek, clips_[index_].begin);
    if (seek < end) return WindowPlace{seek, std::min(window_frames, end - seek)};
    // The next clip may lie before this one.
    if (++index_ < clips_.size()) seek = clips_[index_].begin;
  }
  return std::nullopt;
}

}  // namespace susurrus
