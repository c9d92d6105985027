#pragma once
#include <memory>

#include "families/speakers/speaker_settling.h"
#include "families/speakers/voice_features.h"

namespace susurrus {

struct SpeakerOptions {
  SpeakerLimits limits;
  /// Windows that are worked on together; 0: as many as the networks take. Fewer are heard sooner.
  size_t windows = 0;
  /// Vectors beyond which groups of them are clustered.
  size_t most_items = VoiceGroups::kMostItems;
};

/// The state of a finder after a step.
enum class SpeakerStep : uint8_t {
  /// room() is to be filled, or end() to be called.
  need_audio,
  working,
  done,
};

/// Who speaks when in a recording: mono samples at 16 kHz in, turns out. All work is done in steps of bounded size. It keeps the samples of
/// the windows in hand, and of what was before them HeardVoices.
class SpeakerFinder {
 public:
  /// The networks must outlive it. invalid_argument: fewer speakers at most than at least. out_of_memory.
  static Result<std::unique_ptr<SpeakerFinder>> make(SpeakerNetworks& networks,
                                                     const SpeakerOptions& options = {});

  SpeakerFinder(const SpeakerFinder&) = delete;
  SpeakerFinder& operator=(const SpeakerFinder&) = delete;

  /// Where the next samples go, -1 … 1; empty while steps are to be taken first, and after end().
  std::span<float> room();
  /// So many were written to the front of room().
  void heard(size_t sample_count);
  /// No sample follows.
  void end();
  /// Errors: out_of_memory; afterwards disabled_by_previous_error.
  Result<SpeakerStep> step();

  /// When done; none before.
  std::span<const SpeakerTurn> turns() const;
  std::span<const FoundSpeaker> speakers() const;
  /// What turns() and speakers() would be of what is complete so far: to be stepped by the caller, in between with this, which outlives it.
  std::unique_ptr<SpeakerSettling> settle_so_far() const;

  /// Seconds of the recording for which both networks are done.
  double seconds_done() const;
  /// Memory of this, without the networks.
  uint64_t byte_count() const;

 private:
  enum class Stage : uint8_t { listening, segmenting, cutting, gathering, voicing, settling, done };

  SpeakerFinder(SpeakerNetworks& networks, const SpeakerOptions& options);
  Status make_buffers();
  Result<SpeakerStep> take_step();
  /// Windows that can be begun, up to most_windows_: those of which it is known where the next one starts.
  size_t ready_windows() const;
  Result<SpeakerStep> begin_windows();
  Status end_windows();
  Status cut_window();
  /// Goes on to the next piece that has enough frames, or else to the next window.
  void begin_piece();
  void gather_features();
  Status end_piece();
  void end_window();
  void drop_samples();
  float* sample(uint64_t index) { return samples_.floats().data() + (index - origin_); }

  SpeakerNetworks* networks_;
  const size_t most_windows_;
  const SpeakerSettling::Options settling_options_;
  VoiceFeatures features_;
  AlignedBuffer samples_;  // of the recording, from origin_ on
  uint64_t origin_ = 0;
  size_t room_ = 0;  // for the recording's samples; what is behind takes zeros
  bool has_ended_ = false;
  bool has_failed_ = false;
  Stage stage_ = Stage::listening;
  HeardVoices heard_;
  uint64_t next_start_ = 0;            // of the first window that was not begun, in frames
  bool was_last_ = false;              // there is no such window
  GrowingList<const float*> windows_;  // that are worked on
  size_t piece_ = 0;
  PieceFrames frames_;
  size_t gathered_ = 0;
  AlignedBuffer piece_features_;  // f32 [PieceFrames::kMost, kMelBins]
  std::unique_ptr<SpeakerSettling> settling_;
};

}  // namespace susurrus
