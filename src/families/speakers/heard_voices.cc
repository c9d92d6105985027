#include "families/speakers/heard_voices.h"

#include <cmath>

namespace susurrus {

Status HeardVoices::add_vector(VoicePiece& piece, std::span<const float> vector) {
  SUSURRUS_CHECK(vector.size() == SpeakerNetworks::kVectorSize);
  double square = 0;
  for (float value : vector) square += double{value} * double{value};
  if (!std::isfinite(square) || square == 0) return ok_status();
  const double length = std::sqrt(square);
  const size_t index = vectors.size() / vector.size();
  SUSURRUS_ASSIGN_OR_RETURN(const std::span<float> room, vectors.extend(vector.size()));
  for (size_t i = 0; i < vector.size(); ++i) {
    room[i] = static_cast<float>(double{vector[i]} / length);
  }
  piece.vector = static_cast<int32_t>(index);
  return ok_status();
}

}  // namespace susurrus
