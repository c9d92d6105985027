#pragma once
#include <string>
#include <vector>

#include "container/tennis/tennis_dtype.h"
#include "graph/graph.h"

namespace susurrus {

/// A tensor of a parameter, as the file has it.
struct TennisField {
  TennisDtype dtype = TennisDtype::void_type;
  Shape shape;
  AlignedBuffer bytes;
};

struct TennisParameter {
  std::string name;
  std::vector<TennisField> fields;
};

struct TennisNode {
  std::string op;
  std::string name;
  uint64_t file_offset = 0;
  std::vector<TennisParameter> parameters;
  std::vector<uint32_t> arguments;

  /// Null where it is not given.
  const TennisParameter* parameter(std::string_view name) const;
};

/// What a module is fed with.
struct TennisFed {
  /// The input's name. If empty, inputs are in the module's order.
  std::string_view name;
  ElementType type = ElementType::f32;
  Shape shape;
};

/// A TenniS module in memory (tennis.md §1). Its shapes are inferred from those that it is fed with, so that a graph is made for
/// each set of them.
class TennisModule {
 public:
  /// The errors of TennisReader; malformed also for a module without outputs, or a needed node without an operator.
  /// limit_exceeded: more nodes and parameters than a file of this size is worth (PieceBudget).
  static Result<TennisModule> read(ByteSpan bytes);

  std::span<const TennisNode> nodes() const { return nodes_; }
  /// The size of its file.
  uint64_t byte_count() const { return byte_count_; }
  /// Nodes.
  std::span<const uint32_t> inputs() const { return inputs_; }
  std::span<const uint32_t> outputs() const { return outputs_; }
  /// What the outputs need, each node after its arguments.
  std::span<const uint32_t> order() const { return order_; }
  /// Needed nodes whose operator is not run here: `node 3 "boxes": yolo`. With any there is no graph.
  std::span<const std::string> unsupported() const { return unsupported_; }
  std::span<const std::string> warnings() const { return warnings_; }

  /// What #shape of an input says, with kAnyDim; nothing where it is not given, or no list of integers.
  std::optional<Shape> declared_shape(uint32_t node) const;

  /// The graph for tensors of these types and shapes; its inputs are the module's, a packed output is several. Weights are
  /// copied. `results`, where wanted, are what each node gives. Errors name the node and its place: unsupported_operator, malformed
  /// parameters, shapes that do not fit.
  Result<Graph> graph(std::span<const TennisFed> fed,
                      std::vector<std::vector<Inference::Output>>* results = nullptr) const;

 private:
  friend class TennisLoader;
  Status sort_needed();

  uint64_t byte_count_ = 0;
  std::vector<TennisNode> nodes_;
  std::vector<uint32_t> inputs_;
  std::vector<uint32_t> outputs_;
  std::vector<uint32_t> order_;
  std::vector<std::string> unsupported_;
  std::vector<std::string> warnings_;
};

}  // namespace susurrus
