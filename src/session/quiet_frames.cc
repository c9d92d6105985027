#include "session/quiet_frames.h"

#include <algorithm>

namespace susurrus {
namespace {

constexpr float kLowest = -10.0f;
constexpr float kPerUnit = 100.0f;
/// What quiet frames may exceed the floor by.
constexpr size_t kMargin = 60;
/// Frames 60 dB below the loudest are inaudible: a recording may have both digital silence and
/// dither.
constexpr size_t kAudible = 600;
/// Fewer frames, a second, do not show a floor: nothing but digital silence is quiet then.
constexpr uint64_t kLeastFrames = 100;

}  // namespace

QuietFrames::QuietFrames(size_t n_mels, size_t window_frames) : n_mels_(n_mels) {
  window_levels_.reserve(window_frames);
}

void QuietFrames::count(uint64_t first, std::span<const float> log_mel) {
  for (size_t i = 0; i < log_mel.size(); i += n_mels_) count_level(first++, level(&log_mel[i]));
}

void QuietFrames::set_window(uint64_t first, std::span<const float> log_mel) {
  first_ = first;
  window_levels_.clear();
  for (size_t i = 0; i < log_mel.size(); i += n_mels_) {
    window_levels_.push_back(level(&log_mel[i]));
    count_level(first++, window_levels_.back());
  }
  quiet_level_ = quiet_level();
}

uint64_t QuietFrames::next_sound(uint64_t begin, uint64_t end) const {
  const uint64_t stop = std::min(end, first_ + window_levels_.size());
  for (uint64_t i = std::max(begin, first_); i < stop; ++i) {
    if (window_levels_[i - first_] > quiet_level_) return i;
  }
  return end;
}

size_t QuietFrames::sound_count(uint64_t begin, uint64_t end) const {
  size_t count = 0;
  for (uint64_t i = next_sound(begin, end); i < end; i = next_sound(i + 1, end)) ++count;
  return count;
}

TranscriptionState::QuietLevels QuietFrames::levels() const {
  TranscriptionState::QuietLevels levels;
  levels.counted_end = counted_end_;
  for (uint32_t level = 0; level < kLevels; ++level) {
    if (histogram_[level] > 0) levels.counts.push_back({level, histogram_[level]});
  }
  return levels;
}

bool QuietFrames::set_levels(const TranscriptionState::QuietLevels& levels) {
  uint64_t counted = 0;
  uint32_t least = 0;
  for (const auto& count : levels.counts) {
    if (count.level < least || count.level >= kLevels || count.frames == 0) return false;
    least = count.level + 1;
    counted += count.frames;
  }
  if (counted > levels.counted_end) return false;
  histogram_ = {};
  for (const auto& count : levels.counts) histogram_[count.level] = count.frames;
  counted_ = counted;
  counted_end_ = levels.counted_end;
  loudest_ = static_cast<uint16_t>(levels.counts.empty() ? 0 : levels.counts.back().level);
  return true;
}

uint16_t QuietFrames::level(const float* frame) const {
  const size_t bins = std::max<size_t>(n_mels_ / 2, 1);
  float sum = 0;
  for (size_t i = 0; i < bins; ++i) sum += frame[i];
  const float mean = sum / static_cast<float>(bins);
  return static_cast<uint16_t>(
      std::clamp((mean - kLowest) * kPerUnit, 0.0f, static_cast<float>(kLevels - 1)));
}

void QuietFrames::count_level(uint64_t frame, uint16_t level) {
  if (frame < counted_end_) return;
  counted_end_ = frame + 1;
  ++histogram_[level];
  ++counted_;
  loudest_ = std::max(loudest_, level);
}

uint16_t QuietFrames::quiet_level() const {
  if (counted_ < kLeastFrames) return 0;
  size_t floor = 0;
  for (uint64_t below = histogram_[0]; 10 * below < counted_; below += histogram_[floor]) ++floor;
  const size_t inaudible = loudest_ > kAudible ? loudest_ - kAudible : 0;
  return static_cast<uint16_t>(std::max(floor + kMargin, inaudible));
}

}  // namespace susurrus
