#include "session/window_sound.h"

#include <algorithm>
#include <limits>

namespace susurrus {
namespace {

// In frames of 10 ms. A window with less sound is skipped.
constexpr uint64_t kLeastSound = 5;
// Longer silence at a window's beginning is skipped down to this.
constexpr uint64_t kLongestSilence = 200;
constexpr uint64_t kSilenceBefore = 50;
// More sound than this after a window's text is listened to again.
constexpr uint64_t kLeastSoundAfterText = 200;
// Frames around a place where a pause is looked for, and the fewest that are one.
constexpr uint64_t kPauseDistance = 250;
constexpr uint64_t kLeastPause = 5;
// So many frames of a pause count, each as much as one of distance.
constexpr uint64_t kLongestPause = 100;
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

uint64_t pause_near(const QuietFrames& frames, WindowPlace window, uint64_t near) {
  const uint64_t end = std::min(window.end(), near + kPauseDistance);
  uint64_t begin = std::max(window.seek + kSilenceBefore + kPauseDistance, near) - kPauseDistance;
  uint64_t best = near;
  int64_t best_score = std::numeric_limits<int64_t>::min();
  while (begin < end) {
    const uint64_t sound = frames.next_sound(begin, end);
    if (sound - begin >= kLeastPause) {
      const uint64_t middle = begin + (sound - begin) / 2;
      const uint64_t distance = middle > near ? middle - near : near - middle;
      const int64_t score = static_cast<int64_t>(std::min(sound - begin, kLongestPause)) -
                            static_cast<int64_t>(distance);
      if (score > best_score) {
        best_score = score;
        best = middle;
      }
    }
    begin = sound + 1;
  }
  return best;
}

bool is_heard(const QuietFrames& frames, WindowPlace window, const Segment& segment) {
  const uint64_t begin = nearest_frame(std::max(segment.start - kHearingMargin, 0.0));
  const uint64_t end = nearest_frame(segment.end + kHearingMargin);
  return begin >= window.end() || frames.next_sound(begin, end) < end;
}

}  // namespace susurrus
