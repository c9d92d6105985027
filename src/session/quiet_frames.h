#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "session/transcription_state.h"

namespace susurrus {

/// Which frames of a recording are no louder than its own floor, the level below which the quietest tenth of its frames lies.
///
/// A frame's level is the mean log10 mel power of the lower half of its mel bins, where most of speech is. Levels of steady
/// noise of any colour stay within 0.5 of their floor; those of speech in white noise as loud as itself exceed it by 0.9 and more.
class QuietFrames {
 public:
  QuietFrames(size_t n_mels, size_t window_frames);

  /// Frames from `first` on, [frames, n_mels] as LogMel::log_frames() makes them. A frame counts once, however often it comes.
  void count(uint64_t first, std::span<const float> log_mel);
  /// The window that the other functions are about, [frames, n_mels] from `first` on. Its frames count, too.
  void set_window(uint64_t first, std::span<const float> log_mel);

  /// The first frame in [begin, end) that is not quiet, or `end`. Frames outside the window are quiet.
  uint64_t next_sound(uint64_t begin, uint64_t end) const;
  /// How many frames in [begin, end) are not quiet.
  size_t sound_count(uint64_t begin, uint64_t end) const;

  /// What was counted, without the window.
  TranscriptionState::QuietLevels levels() const;
  /// Goes on from there. False, and nothing is done, where no recording has such levels.
  bool set_levels(const TranscriptionState::QuietLevels& levels);

 private:
  /// Levels are kept in hundredths, a tenth of a decibel, from -10 up to 10.
  static constexpr size_t kLevels = 2000;

  uint16_t level(const float* frame) const;
  void count_level(uint64_t frame, uint16_t level);
  uint16_t quiet_level() const;

  size_t n_mels_;
  std::array<uint32_t, kLevels> histogram_ = {};
  uint64_t counted_ = 0;
  uint64_t counted_end_ = 0;
  uint16_t loudest_ = 0;

  uint64_t first_ = 0;                   // of the window
  std::vector<uint16_t> window_levels_;  // of its frames
  uint16_t quiet_level_ = 0;
};

}  // namespace susurrus
