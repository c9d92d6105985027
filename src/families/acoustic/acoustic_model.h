#pragma once
#include <memory>
#include <string>
#include <vector>

#include "container/bw2l/bw2l_settings.h"
#include "families/acoustic/speech_features.h"
#include "families/acoustic/token_decoding.h"
#include "graph/bw2l/bw2l_network.h"

namespace susurrus {

/// A BW2L model that can run, for any number of sessions: its features, its network as a graph, its tokens.
class AcousticModel {
 public:
  /// `model`, `settings` and `listed_tokens` as a Bw2lReader gives them; `file` is the whole file that it read, whose weights are
  /// copied. Errors name section, layer and line (bw2l.md §4): malformed for what does not fit together, unsupported_feature for a
  /// criterion other than ctc and asg, unsupported_operator for a layer that is not run.
  static Result<std::unique_ptr<AcousticModel>> make(const Bw2lModel& model,
                                                     const Bw2lSettings& settings,
                                                     std::vector<std::string> listed_tokens,
                                                     ByteSpan file);

  /// The rate of the recordings that the model takes; samples are from -1 to 1.
  double sample_rate() const { return features_.settings().sample_rate; }
  uint32_t channel_count() const { return features_.settings().channel_count; }
  /// The time between two frames of emissions.
  double seconds_per_frame() const;

  /// Whether emissions follow from a limited part of the recording, so that they come while it is still going on. Not so where the
  /// features are normalised over the whole recording, as they are unless the file's flags say otherwise.
  bool is_limited() const { return is_network_limited() && features_.is_local(); }
  /// How many seconds after its own beginning a frame of emissions sees: the least delay of live
  /// text. Infinite unless is_limited().
  double right_context_seconds() const;

  const SpeechFeatures& features() const { return features_; }
  const AcousticTokens& tokens() const { return tokens_; }
  const Graph& graph() const { return network_.graph; }
  const Bw2lTiming& timing() const { return network_.timing; }
  /// The network sees a limited part of its input; the features may not.
  bool is_network_limited() const;
  /// ASG's [to][from]; empty for CTC.
  std::span<const float> transitions() const { return transitions_; }
  /// Oddities of the layers, such as weights that are NaN.
  const std::vector<std::string>& warnings() const { return network_.warnings; }
  /// The size of the weights.
  uint64_t byte_count() const;

 private:
  AcousticModel(SpeechFeatures features, AcousticTokens tokens, Bw2lNetwork network);

  SpeechFeatures features_;
  AcousticTokens tokens_;
  Bw2lNetwork network_;
  std::vector<float> transitions_;
};

}  // namespace susurrus
