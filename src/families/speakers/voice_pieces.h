#pragma once
#include <array>
#include <span>

#include "families/speakers/growing_list.h"
#include "families/speakers/speaker_frames.h"

namespace susurrus {

/// What gets a vector: part of a voice of a window.
struct VoicePiece {
  static constexpr int32_t kNoVector = -1;

  uint32_t window = 0;
  uint16_t voice = 0;
  /// Frames of the window, from `first` up to `end`.
  uint16_t first = 0;
  uint16_t end = 0;
  /// Those in which the voice is alone; 0: the voice is taken as a whole.
  uint16_t alone = 0;
  int32_t vector = kNoVector;

  bool is_whole() const { return alone == 0; }
  double seconds() const { return frame_seconds(alone); }
};

/// The classes of a window's frames.
using WindowClasses = std::span<const uint8_t, SpeakerNetworks::kWindowFrames>;

/// Adds the pieces of a window whose middle they touch, voice after voice: the runs of frames in which a voice is alone, cut into equal
/// parts of at most 2 s; then the whole voice where none of those is long enough.
Status find_pieces(uint32_t window, WindowClasses classes, FrameRange middle,
                   GrowingList<VoicePiece>& pieces);

/// Frames of the features, counted from the first whose middle lies in the window.
class PieceFrames {
 public:
  static constexpr size_t kMost = 1000;

  /// Frames of the window that begins at frame `start` and of a recording that has `feature_count` in all. None if they are too few for a vector.
  PieceFrames(const VoicePiece& piece, WindowClasses classes, uint64_t start,
              uint64_t feature_count);
  PieceFrames() = default;

  size_t size() const { return size_; }
  uint64_t operator[](size_t index) const { return first_ + offsets_[index]; }

 private:
  uint64_t first_ = 0;
  size_t size_ = 0;
  std::array<uint16_t, kMost> offsets_;
};

}  // namespace susurrus
