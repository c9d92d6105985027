#pragma once
#include "base/bytes.h"
#include "container/bw2l/bw2l_model.h"
#include "graph/bw2l/bw2l_activation.h"

namespace susurrus {

/// What a network is given: (T, features, channels, 1), of raw samples (T, channels, 1, 1).
struct Bw2lInput {
  uint64_t feature_count = 1;
  uint64_t channel_count = 1;
  /// What NLABEL stands for, where lines have it.
  uint64_t label_count = 0;
  /// Those that the network runs on.
  const KernelTable* kernels = &default_kernels();
};

/// The layers of a BW2L file as a graph of primitive operators.
struct Bw2lNetwork {
  /// One input, [1][channels][features][T], and one output, [1][1][T'][labels].
  Graph graph;
  /// Scores of each frame.
  uint64_t output_count = 0;
  Bw2lTiming timing;
  std::vector<std::string> warnings;
};

/// Checks and translates all layers (bw2l.md §2.2 and §4, 19 to 26). `file` is all of the file that `model` was read from.
///
/// Errors name the layer and its line: malformed for what the line or its arrays contradict, unsupported_operator for RNN, GRU, LSTM.
Result<Bw2lNetwork> compile_bw2l_network(const Bw2lModel& model, ByteSpan file,
                                         const Bw2lInput& input);

}  // namespace susurrus
