#pragma once
#include "families/speakers/speaker_clusters.h"
#include "families/speakers/turn_maker.h"
#include "families/speakers/voice_groups.h"

namespace susurrus {

/// One of those who were heard. Others are told from him by `centre`, of length 1.
struct FoundSpeaker {
  std::array<float, SpeakerNetworks::kVectorSize> centre;
  /// In all his turns.
  double seconds;
};

/// From voices to speakers and their turns, in bounded steps. What was heard so far is looked at and not changed: it may grow between two
/// steps, and be settled again later.
class SpeakerSettling {
 public:
  struct Options {
    SpeakerLimits limits;
    /// Vectors beyond which groups are clustered.
    size_t most_items = VoiceGroups::kMostItems;
  };

  /// Takes the windows that are complete now. `heard` outlives it.
  SpeakerSettling(const HeardVoices& heard, const Options& options);

  /// True when done. out_of_memory; begin anew afterwards.
  Result<bool> step();

  /// In the order in which they begin; speakers are numbered as they are first heard.
  std::span<const SpeakerTurn> turns() const { return turns_.all(); }
  std::span<const FoundSpeaker> speakers() const { return speakers_.all(); }
  uint64_t byte_count() const { return turns_.byte_count() + speakers_.byte_count(); }

 private:
  enum class Stage : uint8_t { frames, vectors, linkage, clusters, turns, done };

  void count_frames();
  void count_vectors();
  bool takes_part(const VoicePiece& piece) const;
  Status add_vectors();
  Status number_speakers();

  const HeardVoices* heard_;
  Options options_;
  size_t window_count_;
  size_t piece_count_ = 0;
  double end_seconds_ = 0;
  Stage stage_ = Stage::frames;

  OverlappingWindows at_;
  std::array<uint64_t, kWindowVoices + 1> frames_of_{};  // in which so many speak at once
  bool are_all_in_ = false;
  size_t piece_ = 0;
  VoiceGroups groups_;
  AverageLinkage tree_;
  SpeakerClusters clusters_;
  TurnMaker maker_;
  GrowingList<SpeakerTurn> turns_;
  GrowingList<FoundSpeaker> speakers_;
};

}  // namespace susurrus
