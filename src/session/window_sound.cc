#include "session/window_sound.h"

#include <algorithm>

namespace susurrus {
namespace {

// In frames of 10 ms. A window with less sound is skipped.
constexpr uint64_t kLeastSound = 5;
// Longer silence at a window's beginning is skipped down to this.
constexpr uint64_t kLongestSilence = 200;
constexpr uint64_t kSilenceBefore = 50;
// More sound than this after a window's text is listened to again.
constexpr uint64_t kLeastSoundAfterText = 200;
// Seconds around a segment's times in which its text may sound.
constexpr double kHearingMargin = 0.2;

}  // namespace

bool is_quiet(const QuietFrames& frames, WindowPlace window) {
  return frames.sound_count(window.seek, window.end()) < std::min(kLeastSound, window.frame_count);
}

uint64_t first_sound(const QuietFrames& frames, WindowPlace window) {
  if (is_quiet(frames, window)) return window.end();
  const uint64_t sound = frames.next_sound(window.seek, window.end());
  return sound - window.seek > kLongestSilence ? sound - kSilenceBefore : window.seek;
}

bool sounds_on(const QuietFrames& frames, WindowPlace window, uint64_t text_end) {
  return frames.sound_count(text_end, window.end()) >= kLeastSoundAfterText;
}

bool is_heard(const QuietFrames& frames, WindowPlace window, const Segment& segment) {
  const uint64_t begin = nearest_frame(std::max(segment.start - kHearingMargin, 0.0));
  const uint64_t end = nearest_frame(segment.end + kHearingMargin);
  return begin >= window.end() || frames.next_sound(begin, end) < end;
}

}  // namespace susurrus
