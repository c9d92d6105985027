#pragma once
#include <cmath>
#include <cstdint>
#include <limits>

namespace susurrus {

/// Mel frames of a recording whose end is not known yet.
inline constexpr uint64_t kUnknownFrames = std::numeric_limits<uint64_t>::max();

/// A window within its recording, in mel frames (10 ms each).
struct WindowPlace {
  uint64_t seek = 0;
  /// Frames with content, up to a whole window.
  uint64_t frame_count = 0;

  uint64_t end() const { return seek + frame_count; }
  bool operator==(const WindowPlace&) const = default;
};

/// Seconds from the beginning of the recording.
inline double frame_seconds(uint64_t frames) { return static_cast<double>(frames) / 100; }

/// Halves go to the even neighbour, as the reference rounds. `seconds` from 0 on.
inline uint64_t nearest_frame(double seconds) {
  return static_cast<uint64_t>(std::nearbyint(seconds * 100));
}

}  // namespace susurrus
