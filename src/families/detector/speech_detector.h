#pragma once
#include <array>
#include <memory>
#include <span>

#include "base/bytes.h"
#include "graph/graph_run.h"

namespace susurrus {

/// The probability of speech for each 32 ms of a recording: Silero's network as a TenniS module
/// (scripts/vad-model). Inputs: samples [1, 576] and the state [2, 1, 128]; outputs: a probability
/// [1, 1] and the new state.
class SpeechDetector {
 public:
  static constexpr uint32_t kSampleRate = 16000;
  static constexpr size_t kFrameSamples = 512;
  /// Samples before a frame that the network sees again.
  static constexpr size_t kContextSamples = 64;
  static constexpr size_t kStateCount = 2 * 128;

  /// Errors of TennisModule, and malformed if the module is not such a network.
  static Result<SpeechDetector> make(ByteSpan module);

  /// Clears the state: the next frame begins a recording.
  void reset();
  /// Mono samples at 16 kHz → a probability for each begun frame; the last one is filled up with silence where it is short, and
  /// ends the recording then. `probabilities` has room for all. Nothing is allocated.
  Status hear(std::span<const float> samples, std::span<float> probabilities);
  static constexpr size_t frame_count(size_t samples) {
    return (samples + kFrameSamples - 1) / kFrameSamples;
  }

 private:
  /// At one place in memory, for a run refers to its graph and inputs.
  struct Network {
    explicit Network(Graph made) : graph(std::move(made)) {}
    Graph graph;
    std::array<float, kContextSamples + kFrameSamples> samples{};
    std::array<float, kStateCount> state{};
  };
  SpeechDetector(std::unique_ptr<Network> network, GraphRun run)
      : network_(std::move(network)), run_(std::move(run)) {}

  std::unique_ptr<Network> network_;
  GraphRun run_;
};

}  // namespace susurrus
