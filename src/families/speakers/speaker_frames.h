#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "families/speakers/speaker_networks.h"

namespace susurrus {

/// Samples from one frame of the segmentation to the next. Not the window's length divided by its frames, which is 0.6 % more.
inline constexpr uint64_t kFrameStep = 270;
/// From the first sample that a frame sees to its middle.
inline constexpr uint64_t kFrameMiddle = 495;
/// Frames from one window to the next; the last one may come sooner.
inline constexpr uint64_t kWindowHop = 148;
inline constexpr uint64_t kHopSamples = kWindowHop * kFrameStep;
inline constexpr size_t kWindowVoices = 3;

inline constexpr double frame_seconds(uint64_t frames) {
  return static_cast<double>(frames * kFrameStep) / SpeakerNetworks::kSampleRate;
}

/// The frame at which the last window of a recording of so many samples begins: it ends with the recording, or up to a frame later.
inline constexpr uint64_t last_window_start(uint64_t samples) {
  if (samples <= SpeakerNetworks::kWindowSamples) return 0;
  return (samples - SpeakerNetworks::kWindowSamples + kFrameStep - 1) / kFrameStep;
}

/// Bit v: voice v speaks. By class: nobody, three who are alone, three pairs.
inline constexpr uint8_t kVoicesOfClass[SpeakerNetworks::kClasses] = {0, 1, 2, 4, 3, 5, 6};

inline bool speaks(uint8_t class_index, size_t voice) {
  return (kVoicesOfClass[class_index] >> voice & 1) != 0;
}
inline bool speaks_alone(uint8_t class_index, size_t voice) {
  return kVoicesOfClass[class_index] == 1 << voice;
}
inline uint32_t voice_count(uint8_t class_index) {
  return class_index == 0 ? 0 : class_index <= kWindowVoices ? 1 : 2;
}

/// Frames of a window, from `first` up to `end`.
struct FrameRange {
  uint32_t first = 0;
  uint32_t end = 0;

  bool holds(uint32_t frame) const { return frame >= first && frame < end; }
};

/// Where a window begins, and its neighbours; kNone where there is none.
struct WindowPlace {
  static constexpr uint64_t kNone = ~uint64_t{0};

  uint64_t before = kNone;
  uint64_t start = 0;
  uint64_t after = kNone;

  /// The frames that are nearer to this window's centre than to another's.
  FrameRange middle() const {
    constexpr uint64_t kFrames = SpeakerNetworks::kWindowFrames;
    FrameRange range{0, kFrames};
    if (before != kNone) {
      const uint64_t border = (before + start + kFrames) / 2;
      range.first = static_cast<uint32_t>(border > start ? border - start : 0);
    }
    if (after != kNone) {
      const uint64_t border = (start + after + kFrames) / 2;
      range.end = static_cast<uint32_t>(std::min(kFrames, border - start));
    }
    return range;
  }
};

}  // namespace susurrus
