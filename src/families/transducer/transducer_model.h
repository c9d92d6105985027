#pragma once
#include <array>
#include <memory>

#include "base/bytes.h"
#include "container/april/april_model.h"
#include "container/april/april_signature.h"
#include "families/transducer/transducer_vocabulary.h"
#include "graph/graph.h"

namespace susurrus {

enum class AprilNetwork : uint8_t { encoder = 0, decoder = 1, joiner = 2 };

/// Puts the network's name in front of the subject of an error in it.
Error in_network(AprilNetwork network, const Error& error);

/// An .april model that can run: its three networks as graphs, for any number of sessions.
class TransducerModel {
 public:
  /// `networks` are the bytes of the model's ranges, in the format's order; weights are copied. Errors (april.md §4): malformed for
  /// networks that are not ONNX or do not fit together, unsupported_operator naming node and operator. TransducerLoader does without the
  /// bytes.
  static Result<std::unique_ptr<TransducerModel>> make(
      AprilModel model, const std::array<ByteSpan, kAprilNetworks>& networks,
      const WeightOptions& weights = {});
  /// `graphs` were built from the bytes of the model's ranges.
  static Result<std::unique_ptr<TransducerModel>> make(AprilModel model,
                                                       std::array<Graph, kAprilNetworks> graphs);

  const AprilParams& params() const { return model_.params; }
  std::string_view language() const { return model_.language(); }
  const std::string& name() const { return model_.name; }
  const std::string& description() const { return model_.description; }
  uint64_t weight_byte_count() const;
  const TransducerVocabulary& vocabulary() const { return vocabulary_; }
  /// How many tokens the decoder looks at.
  size_t context_size() const;

  const Graph& graph(AprilNetwork network) const { return graphs_[index(network)]; }
  const AprilBinding& binding(AprilNetwork network) const { return bindings_[index(network)]; }
  const OnnxNetwork& declared(AprilNetwork network) const {
    return model_.networks[index(network)];
  }
  /// Shapes of a network's inputs, in the file's order.
  std::vector<Shape> input_shapes(AprilNetwork network) const;

 private:
  explicit TransducerModel(AprilModel model);
  static size_t index(AprilNetwork network) { return static_cast<size_t>(network); }

  AprilModel model_;
  TransducerVocabulary vocabulary_;
  std::array<Graph, kAprilNetworks> graphs_;
  std::array<AprilBinding, kAprilNetworks> bindings_;
};

}  // namespace susurrus
