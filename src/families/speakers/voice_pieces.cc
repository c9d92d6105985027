#include "families/speakers/voice_pieces.h"

#include <cmath>

#include "families/speakers/voice_features.h"

namespace susurrus {
namespace {

constexpr uint32_t kWindowFrames = SpeakerNetworks::kWindowFrames;
/// Up to so many frames in which a voice is not alone do not end a run.
constexpr uint32_t kBridgedFrames = 14;
constexpr double kPieceSeconds = 2;
/// Frames of the features below which a piece has no vector, and a whole voice.
constexpr uint64_t kFewestFeatures = 40;
constexpr uint64_t kFewestOfWhole = 20;

/// Whether so many frames of the segmentation make so many of the features.
bool is_enough(uint64_t frames, uint64_t features) {
  return frames * kFrameStep >= features * VoiceFeatures::kShift;
}

/// The frames of a window in which a voice is alone, in order.
struct AloneFrames {
  AloneFrames(WindowClasses classes, size_t voice) {
    for (uint32_t frame = 0; frame < kWindowFrames; ++frame) {
      if (speaks_alone(classes[frame], voice)) at[size++] = static_cast<uint16_t>(frame);
    }
  }

  std::array<uint16_t, kWindowFrames> at;
  size_t size = 0;
};

/// Cuts a run's frames into equal parts, the longer ones first; keeps those that touch the middle.
Status cut_run(std::span<const uint16_t> run, FrameRange middle, VoicePiece piece,
               GrowingList<VoicePiece>& pieces) {
  // A piece may be a thousandth longer than it should.
  const double wanted = std::ceil(frame_seconds(run.size()) / kPieceSeconds - 0.001);
  const size_t count = wanted < 1 ? 1 : static_cast<size_t>(wanted);
  const size_t frames = run.size();
  for (size_t part = 0; part < count; ++part) {
    const size_t length = frames / count + (part < frames % count ? 1 : 0);
    piece.first = run[0];
    piece.end = static_cast<uint16_t>(run[length - 1] + 1);
    piece.alone = static_cast<uint16_t>(length);
    run = run.subspan(length);
    if (piece.end > middle.first && piece.first < middle.end) {
      SUSURRUS_RETURN_IF_ERROR(pieces.add(piece));
    }
  }
  return ok_status();
}

}  // namespace

Status find_pieces(uint32_t window, WindowClasses classes, FrameRange middle,
                   GrowingList<VoicePiece>& pieces) {
  for (size_t voice = 0; voice < kWindowVoices; ++voice) {
    uint32_t first = kWindowFrames;
    uint32_t end = 0;
    bool is_in_middle = false;
    for (uint32_t frame = 0; frame < kWindowFrames; ++frame) {
      if (!speaks(classes[frame], voice)) continue;
      first = std::min(first, frame);
      end = frame + 1;
      is_in_middle |= middle.holds(frame);
    }
    if (!is_in_middle) continue;
    VoicePiece piece;
    piece.window = window;
    piece.voice = static_cast<uint16_t>(voice);
    const size_t before = pieces.size();
    const AloneFrames alone(classes, voice);
    for (size_t begin = 0, next; begin < alone.size; begin = next) {
      next = begin + 1;
      while (next < alone.size && alone.at[next] - alone.at[next - 1] - 1u <= kBridgedFrames)
        ++next;
      const std::span<const uint16_t> run(alone.at.data() + begin, next - begin);
      SUSURRUS_RETURN_IF_ERROR(cut_run(run, middle, piece, pieces));
    }
    // Two frames of the features may be lost at a piece's ends.
    if (std::ranges::any_of(pieces.all().subspan(before), [](const VoicePiece& one) {
          return is_enough(one.alone, kFewestFeatures + 2);
        })) {
      continue;
    }
    piece.first = static_cast<uint16_t>(first);
    piece.end = static_cast<uint16_t>(end);
    piece.alone = 0;
    SUSURRUS_RETURN_IF_ERROR(pieces.add(piece));
  }
  return ok_status();
}

PieceFrames::PieceFrames(const VoicePiece& piece, WindowClasses classes, uint64_t start,
                         uint64_t feature_count) {
  bool needs_alone = true;
  if (piece.is_whole()) {
    const auto alone =
        std::ranges::count_if(classes, [&](uint8_t one) { return speaks_alone(one, piece.voice); });
    needs_alone = is_enough(static_cast<uint64_t>(alone), kFewestFeatures);
  }
  const auto is_wanted = [&](uint32_t frame) {
    if (!piece.is_whole() && (frame < piece.first || frame >= piece.end)) return false;
    return needs_alone ? speaks_alone(classes[frame], piece.voice)
                       : speaks(classes[frame], piece.voice);
  };
  constexpr uint64_t kHalf = VoiceFeatures::kLength / 2;
  const uint64_t origin = start * kFrameStep;
  first_ =
      origin <= kHalf ? 0 : (origin - kHalf + VoiceFeatures::kShift - 1) / VoiceFeatures::kShift;
  const uint64_t most =
      feature_count > first_ ? std::min<uint64_t>(kMost, feature_count - first_) : 0;
  for (uint64_t i = 0; i < most; ++i) {
    // From the middle of the window's first frame to that of this one, in frames; halves go to the even number.
    const auto samples =
        static_cast<double>((first_ + i) * VoiceFeatures::kShift + kHalf - origin) -
        static_cast<double>(kFrameMiddle);
    const double frame = std::nearbyint(samples / kFrameStep);
    const double within = std::min(std::max(frame, 0.0), double{kWindowFrames - 1});
    if (is_wanted(static_cast<uint32_t>(within))) offsets_[size_++] = static_cast<uint16_t>(i);
  }
  if (size_ < (piece.is_whole() ? kFewestOfWhole : kFewestFeatures)) size_ = 0;
}

}  // namespace susurrus
