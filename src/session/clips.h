#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "session/mel_frames.h"

namespace susurrus {

/// The parts of a recording that are listened to, one after the other.
class Clips {
 public:
  enum class Order : uint8_t {
    any,
    /// No clip may begin before an earlier one ends: what a stream and a contract on times need.
    rising,
  };
  /// `seconds`, from 0 on: start, end, start, end, …; an odd one runs to the end of the recording, none stands for all
  /// of it. invalid_argument where the order is not kept.
  static Result<Clips> create(std::span<const double> seconds, Order order);

  /// The next window, at `seek` or where the next clip begins; cut at the end of the clip and of the recording.
  /// nullopt after the last clip.
  std::optional<WindowPlace> next_window(uint64_t seek, uint64_t content_frames,
                                         uint64_t window_frames);

  size_t index() const { return index_; }
  /// Goes on with that clip, or ends where there is none.
  void set_index(size_t index) { index_ = index; }

 private:
  struct Clip {
    uint64_t begin = 0;
    uint64_t end = kUnknownFrames;
  };

  std::vector<Clip> clips_;
  size_t index_ = 0;
};

}  // namespace susurrus
