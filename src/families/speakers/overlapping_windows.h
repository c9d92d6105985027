#pragma once
#include "families/speakers/heard_voices.h"

namespace susurrus {

/// Goes through a recording's frames with the windows that hold each.
class OverlappingWindows {
 public:
  /// Four windows hold a frame, and one more where the last comes sooner.
  static constexpr size_t kMost = 5;

  OverlappingWindows() = default;
  OverlappingWindows(const HeardVoices& heard, size_t window_count)
      : heard_(&heard), window_count_(window_count) {
    enter();
  }

  bool is_at_end() const { return first_ == window_count_; }
  uint64_t frame() const { return frame_; }
  /// Windows from `first` up to `end` hold it.
  size_t first() const { return first_; }
  size_t end() const { return end_; }
  uint32_t frame_within(size_t window) const {
    return static_cast<uint32_t>(frame_ - heard_->starts[window]);
  }
  void next() {
    ++frame_;
    enter();
  }

  /// How many speak: the mean of what the windows say, rounded, halves up.
  uint32_t at_once() const {
    uint32_t voices = 0;
    for (size_t window = first_; window < end_; ++window) {
      voices += voice_count(heard_->classes_of(window)[frame_within(window)]);
    }
    const auto windows = static_cast<uint32_t>(end_ - first_);
    return (2 * voices + windows) / (2 * windows);
  }

 private:
  void enter() {
    while (end_ < window_count_ && heard_->starts[end_] <= frame_) ++end_;
    while (first_ < end_ && heard_->starts[first_] + SpeakerNetworks::kWindowFrames <= frame_) {
      ++first_;
    }
  }

  const HeardVoices* heard_ = nullptr;
  size_t window_count_ = 0;
  uint64_t frame_ = 0;
  size_t first_ = 0;
  size_t end_ = 0;
};

}  // namespace susurrus
