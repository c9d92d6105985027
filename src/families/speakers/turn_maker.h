#pragma once
#include "families/speakers/overlapping_windows.h"
#include "families/speakers/window_speakers.h"

namespace susurrus {

/// Somebody speaks, from `start` to `end` seconds.
struct SpeakerTurn {
  double start = 0;
  double end = 0;
  uint32_t speaker = 0;
};

/// Windows vote for who speaks in each frame; runs of frames become turns. In bounded steps.
class TurnMaker {
 public:
  /// `centres` are those of the speakers, one at least. `heard` and they outlive the work.
  Status begin(const HeardVoices& heard, size_t window_count, double end_seconds,
               std::span<const double> centres);
  /// True when the turns are complete.
  Result<bool> step();

  /// In the order in which they begin. Speakers are still numbered as their centres are.
  std::span<const SpeakerTurn> turns() const { return turns_.all(); }
  GrowingList<SpeakerTurn> take_turns() { return std::move(turns_); }

 private:
  /// No more can speak at once than a window's voices.
  static constexpr size_t kMostAtOnce = kWindowVoices;
  static constexpr size_t kMostVoted = OverlappingWindows::kMost * kWindowVoices;
  struct Votes {
    uint32_t speaker;
    double votes;
  };
  struct Line {
    bool is_open = false;
    bool has_turn = false;
    double from = 0;   // where the open one began
    SpeakerTurn turn;  // which the next may be joined to
  };

  Status enter_windows();
  size_t count_votes(std::array<Votes, kMostVoted>& votes) const;
  Status hear_frame();
  Status close(uint32_t speaker, double at);
  Status flush(uint32_t speaker);
  double seconds(uint64_t frame) const;

  const HeardVoices* heard_ = nullptr;
  std::span<const double> centres_;
  double end_seconds_ = 0;
  size_t window_count_ = 0;
  OverlappingWindows at_;
  /// Windows that hold the frame, each at its number modulo kMost.
  std::array<WindowSpeakers, OverlappingWindows::kMost> windows_;
  std::array<FrameRange, OverlappingWindows::kMost> middles_;
  size_t entered_ = 0;
  size_t piece_ = 0;
  std::array<uint32_t, kMostAtOnce> speaking_{};
  size_t speaking_count_ = 0;
  GrowingList<Line> lines_;  // of the speakers
  GrowingList<SpeakerTurn> turns_;
};

}  // namespace susurrus
