#pragma once
#include "graph/graph.h"
#include "stream/byte_sink.h"

namespace susurrus {

/// How weights are stored: constants of at least kWeightElements f32 elements. packed: whole numbers with a scale for each row, of
/// 16 bits where an LSTM reads them, whose gates forgive that, else of 24, as 16 and what is left in 8.
enum class TennisWeights : uint8_t { f32, packed };
inline constexpr uint64_t kWeightElements = 1024;

/// Writes a graph as a TenniS module with the same inputs and outputs: the names, element types and shapes of the inputs are
/// those of the graph. All shapes have to be known. The same graph gives the same bytes. Errors: unsupported_operator or
/// unsupported_feature name a node that TenniS has no words for; and those of the sink.
Status write_tennis_graph(const Graph& graph, TennisWeights weights, ByteSink& sink);

}  // namespace susurrus
