#pragma once
#include "families/speakers/voice_pieces.h"

namespace susurrus {

/// What the networks said about a recording so far: 14 kB of classes a minute, and 0.8 kB for a piece.
struct HeardVoices {
  GrowingList<uint32_t> starts;  // of the windows, in frames
  GrowingList<uint8_t> classes;  // [windows, kWindowFrames]
  GrowingList<VoicePiece> pieces;
  GrowingList<float> vectors;  // [vectors, kVectorSize], of length 1

  uint64_t samples = 0;
  /// Windows whose pieces have their vectors; pieces of later ones do not count yet.
  size_t complete_windows = 0;

  WindowClasses classes_of(size_t window) const {
    constexpr size_t kFrames = SpeakerNetworks::kWindowFrames;
    return WindowClasses(classes.data() + window * kFrames, kFrames);
  }
  std::span<const float> vector(const VoicePiece& piece) const {
    constexpr size_t kSize = SpeakerNetworks::kVectorSize;
    return vectors.all().subspan(static_cast<size_t>(piece.vector) * kSize, kSize);
  }
  /// Among the first `window_count`, as if there were no other.
  WindowPlace place(size_t window, size_t window_count) const {
    WindowPlace place;
    place.start = starts[window];
    if (window > 0) place.before = starts[window - 1];
    if (window + 1 < window_count) place.after = starts[window + 1];
    return place;
  }
  uint64_t byte_count() const {
    return starts.byte_count() + classes.byte_count() + pieces.byte_count() + vectors.byte_count();
  }

  /// A piece's vector, at length 1. A vector without a direction, or not of numbers, is none.
  Status add_vector(VoicePiece& piece, std::span<const float> vector);
};

}  // namespace susurrus
