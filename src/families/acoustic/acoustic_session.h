#pragma once
#include <memory>
#include <optional>

#include "families/acoustic/acoustic_model.h"
#include "families/acoustic/acoustic_result.h"
#include "families/acoustic/beam_search.h"
#include "families/acoustic/feature_stream.h"
#include "families/acoustic/greedy_path.h"
#include "graph/graph_run.h"

namespace susurrus {

struct AcousticOptions {
  /// How much of a recording the network gets at a time, without the context that it needs. Large
  /// chunks waste less on context, small ones give text sooner. A network that sees the whole
  /// recording gets all of it.
  double chunk_seconds = 10;
  /// Made of this model's tokens; outlives the session. With it the text comes from a beam search, else from the best path.
  const BeamVocabulary* vocabulary = nullptr;
  BeamOptions beam = {};
};

/// The state of a session after a step.
enum class AcousticStep : uint8_t {
  /// feed() or finish().
  need_samples,
  working,
  /// emissions() has new frames, until the next step.
  emissions_ready,
  /// Everything was given and all emissions were made.
  done,
};

/// One recording through an AcousticModel: samples in pieces of any size, emissions and text out. All work is done in steps of
/// bounded size. The first chunk allocates memory for the network, and the end of the recording does; what is between allocates for
/// the result alone.
class AcousticSession {
 public:
  /// The model must outlive it. invalid_argument: chunk_seconds.
  static Result<std::unique_ptr<AcousticSession>> make(const AcousticModel& model,
                                                       const AcousticOptions& options = {});

  AcousticSession(const AcousticSession&) = delete;
  AcousticSession& operator=(const AcousticSession&) = delete;

  /// Takes all of `samples`, [channels][samples] from -1 to 1 at the model's rate. Call it only
  /// before the first step or when a step returned need_samples. An unlimited model keeps a
  /// recording as features until finish().
  void feed(std::span<const float> samples);
  /// No sample follows.
  void finish();
  /// Work of about `cost` multiplications. Errors: shape_mismatch for a recording that is too short, malformed for emissions that are
  /// no numbers, out_of_memory; afterwards disabled_by_previous_error.
  Result<AcousticStep> step(uint64_t cost);

  /// After emissions_ready: [frames][tokens], as the last layer gives them.
  std::span<const float> emissions() const { return emissions_; }
  /// The number of the first of those frames.
  size_t first_frame() const { return first_frame_; }
  /// The result of all frames so far: the best path (CTC's best tokens or ASG's Viterbi) or the
  /// beam search's best hypothesis. With a lexicon the words are the lexicon's; each runs from its
  /// first token that is neither blank nor silence to its last.
  AcousticResult result() const;

  /// Seconds of the recording that emissions were made of.
  double seconds_done() const;
  uint64_t byte_count() const;

 private:
  enum class Stage : uint8_t { features, network, decoding, done };

  AcousticSession(const AcousticModel& model, const AcousticOptions& options);
  /// Decides what the network runs on next; false where that needs more samples.
  Result<bool> begin_window();
  Status begin_run(size_t first, size_t last);
  /// Takes the finished window's emissions.
  Status end_run();
  /// Decodes more of them: of about `cost` multiplications, a frame at least.
  void decode(uint64_t cost);
  void end_window();

  const AcousticModel* model_;
  FeatureStream stream_;
  GreedyPath path_;
  std::optional<AcousticBeamSearch> search_;
  /// Frames of a window that is not the last; 0: there is only one window.
  size_t window_frames_ = 0;
  /// Chunks have windows of one size, the last one has its own.
  std::optional<GraphRun> run_;
  std::vector<float> window_;
  size_t window_first_ = 0;
  size_t window_last_ = 0;
  /// The index of the first frame of the next emissions.
  size_t next_frame_ = 0;
  std::span<const float> emissions_;
  /// Those of the window, and what of them has not been decoded.
  std::span<const float> window_emissions_;
  std::span<const float> undecoded_;
  size_t first_frame_ = 0;
  Stage stage_ = Stage::features;
  bool is_last_window_ = false;
  bool has_failed_ = false;
};

}  // namespace susurrus
