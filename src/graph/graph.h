#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/piece_budget.h"
#include "graph/folding_budget.h"
#include "graph/matrix_writer.h"
#include "graph/operator.h"

namespace susurrus {

using ValueId = uint32_t;
/// An input that a node leaves out.
inline constexpr ValueId kNoValue = ~ValueId{0};

/// A dimension of an input that is only known when the input is.
inline constexpr uint64_t kAnyDim = ~uint64_t{0};

/// Something that flows between nodes: what the caller gives, a constant, or an output of a node.
struct GraphValue {
  std::string name;
  /// Set for inputs and constants.
  ElementType type = ElementType::f32;
  /// For inputs: their shape with kAnyDim; an input without a shape takes any rank. For other
  /// values: set if it follows from the inputs' shapes.
  std::optional<Shape> shape;
  /// Index among the graph's constants, or kNoValue.
  uint32_t constant = kNoValue;
  /// The node that makes it, or kNoValue.
  uint32_t node = kNoValue;
};

struct GraphNode {
  const Operator* op = nullptr;
  /// For errors: the name in the file, with its number.
  std::string name;
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  Attributes attributes;
  /// The node's offset in the file.
  uint64_t file_offset = kNoOffset;
  /// The index of the file's node that this node is part of, if the front end tells.
  uint32_t file_node = 0;
};

/// Nodes in an order in which each comes after those that make its inputs.
struct Graph {
  std::vector<GraphValue> values;
  std::vector<GraphNode> nodes;
  std::vector<OwnedTensor> constants;
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  /// Where the file names them: an input, or a value that is several outputs, has only one name of its own.
  std::vector<std::string> output_names;
};

/// Memory for its constants, which are its weights.
uint64_t constant_byte_count(const Graph& graph);

/// Puts a graph together from its beginning to its end. Every error names the node.
class GraphBuilder {
 public:
  GraphBuilder() = default;
  /// Values and nodes beyond the budget end in its error, which add() and status() give.
  explicit GraphBuilder(const PieceBudget& budget) : budget_(budget) {}
  /// Accounts for memory that holds something else from the file.
  void take(uint64_t byte_count) {
    if (is_within_) set_status(budget_.take(byte_count));
  }
  /// limit_exceeded, out_of_memory: more pieces than the budget allows. It is asked after each value, so that there is one too many.
  Status status() const { return is_within_ ? ok_status() : Status(placed(over_)); }

  ValueId add_input(std::string name, ElementType type, std::optional<Shape> shape);
  ValueId add_constant(std::string name, OwnedTensor tensor);
  /// A constant of a few numbers.
  Result<ValueId> add_integers(std::string name, std::span<const int64_t> values);
  /// Where the next nodes come from, for errors.
  void at(std::string node_name, uint64_t file_offset, uint32_t file_node = 0);
  /// Inputs may be kNoValue if the operator does without them. Returns the first of the node's
  /// outputs; the others follow it. If all inputs are constants, so are the outputs.
  Result<ValueId> add(std::string_view op, std::span<const ValueId> inputs,
                      std::span<const Attribute> attributes = {}, size_t output_count = 1);
  /// Puts the place of the current node into an error.
  Error placed(const Error& error) const;

  /// In the order of the outputs.
  void name_outputs(std::vector<std::string> names) { graph_.output_names = std::move(names); }
  GraphValue& value(ValueId id) { return graph_.values[id]; }
  /// The elements of a value that is a constant; null of others, and of packed ones.
  const OwnedTensor* constant(ValueId id) const;
  /// no outputs, or one that is not a value: malformed. Matrices of products become what the options say; out_of_memory.
  Result<Graph> finish(std::vector<ValueId> outputs, const WeightOptions& weights = {});

 private:
  ValueId add_value(GraphValue value);
  void set_status(const Status& status);
  /// The inputs of a node, where all their shapes are known.
  std::optional<std::vector<Operand>> known_operands(std::span<const ValueId> inputs) const;

  Graph graph_;
  /// Weights may be large; what is made of them takes a part of a second, for it cannot be stopped. Each run works out the rest.
  FoldingBudget folding_{512 << 20, uint64_t{1} << 28};
  PieceBudget budget_;
  bool is_within_ = true;
  Error over_;
  std::string node_name_;
  uint64_t file_offset_ = kNoOffset;
  uint32_t file_node_ = 0;
};

}  // namespace susurrus
