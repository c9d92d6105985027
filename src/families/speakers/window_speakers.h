#pragma once
#include <array>

#include "families/speakers/heard_voices.h"

namespace susurrus {

/// Cosines of a piece's vector with each speaker's centre. `centres` are [speakers, kVectorSize]; `alike` has one for each speaker.
void measure_likeness(std::span<const float> vector, std::span<const double> centres,
                      std::span<double> alike);

/// Assigns rows of [kWindowVoices, columns] at most to different columns, as many as can be, so that the total is largest; a row that gets
/// none keeps its largest. Writes a column for each row. Of equal columns the lower number comes first.
void assign_best(std::span<const double> values, size_t columns, std::span<uint32_t> chosen);

/// Who speaks in a window's frames: a speaker for each of its voices, another where one of the voice's pieces is more like somebody else.
class WindowSpeakers {
 public:
  static constexpr uint16_t kNobody = 0xffff;

  /// `pieces` are the window's.
  Status find(const HeardVoices& heard, size_t window, std::span<const VoicePiece> pieces,
              std::span<const double> centres);

  /// kNobody where the voice is silent, or nothing is known about it.
  uint32_t speaker(uint32_t frame, size_t voice) const { return speakers_[voice][frame]; }

 private:
  using Line = std::array<uint16_t, SpeakerNetworks::kWindowFrames>;

  std::array<Line, kWindowVoices> speakers_;
  GrowingList<double> alike_;  // of one piece
  GrowingList<double> whole_;  // of the window's known voices
};

}  // namespace susurrus
