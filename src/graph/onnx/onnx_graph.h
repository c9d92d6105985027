#pragma once
#include <optional>
#include <span>
#include <string_view>

#include "base/bytes.h"
#include "graph/graph.h"

namespace susurrus {

/// An input of which more is known than the file says.
struct OnnxFixedInput {
  std::string_view name;
  /// Always the same, so that the graph can do without it: the sample rate of a network for several.
  std::optional<int64_t> value;
  /// Else its shape.
  Shape shape;
};

/// Builds the graph of an ONNX model in memory; weights are copied, one after the other, into the
/// form that the options ask for. Errors are about `subject` or name a node, with the offset in the
/// file: unsupported_operator names the operator (april.md case 36); malformed: bytes or nodes that
/// make no sense.
Result<Graph> graph_from_onnx(const char* subject, ByteSpan bytes, uint64_t offset,
                              std::span<const OnnxFixedInput> fixed = {},
                              const WeightOptions& weights = {});

}  // namespace susurrus
