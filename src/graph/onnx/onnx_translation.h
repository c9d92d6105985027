#pragma once
#include <map>
#include <string>

#include "graph/graph.h"
#include "graph/onnx/onnx_graph.h"
#include "graph/onnx/onnx_messages.h"

namespace susurrus {

/// Makes nodes of a graph from nodes of an ONNX file: what the translations of single operators share.
class OnnxTranslation {
 public:
  /// `byte_count` is the size of the file.
  OnnxTranslation(uint64_t opset, uint64_t byte_count)
      : opset_(opset), builder_(PieceBudget(byte_count)) {}

  GraphBuilder& builder() { return builder_; }
  uint64_t opset() const { return opset_; }

  // A graph's parts, in this order: initializers and weights, inputs, nodes, outputs.
  Status add_input(const OnnxValueInfo& input, std::span<const OnnxFixedInput> fixed);
  Status add_node(const OnnxNode& node);
  Status add_output(const OnnxValueInfo& output);
  Result<Graph> finish(const WeightOptions& weights);
  /// All nodes of an If's branch; names of the graphs around it are known in it, and its own in it alone. Returns its outputs.
  Result<std::vector<ValueId>> add_branch(const OnnxGraphMessage& message);
  Status add_initializer(const OnnxTensor& tensor);
  /// One that is in memory already; turned: its last two dimensions are the other way round than the file has them.
  void add_weight(const std::string& name, OwnedTensor tensor, bool is_turned);
  /// kNoValue where the name is empty.
  Result<ValueId> value(std::string_view name) const;
  /// The name is a new one, or one of a graph around this one; else status() tells. Of weights the last one counts.
  void name(std::string_view name, ValueId id, bool is_weight = false);
  /// malformed: a name that came twice; the builder's.
  Status status() const;

  // The current node.
  const OnnxNode& node() const { return *node_; }
  size_t input_count() const { return node_->inputs.size(); }
  /// kNoValue where it is left out.
  ValueId input(size_t index) const { return index < inputs_.size() ? inputs_[index] : kNoValue; }
  bool has_input(size_t index) const { return input(index) != kNoValue; }
  /// Whether a value is a weight in a form that only products can read.
  bool is_matrix(ValueId id) const { return matrices_.contains(id); }
  bool is_turned(ValueId id) const {
    const auto found = matrices_.find(id);
    return found != matrices_.end() && found->second;
  }
  /// Null where it is not given.
  const OnnxAttribute* attribute(std::string_view name) const;
  int64_t integer(std::string_view name, int64_t usual) const;
  double number(std::string_view name, double usual) const;
  std::vector<int64_t> integers(std::string_view name) const;
  std::string_view text(std::string_view name, std::string_view usual) const;
  /// An input that has to be a constant, as integers; empty where it is left out.
  Result<std::vector<int64_t>> constant_integers(size_t index) const;
  /// constant_integers() for numbers of any type.
  Result<std::vector<double>> constant_numbers(size_t index) const;
  /// The attribute, or in later versions the input, which then has to be a constant.
  Result<std::vector<int64_t>> integers_of(std::string_view attribute, size_t index) const;
  /// A constant of one element; `usual` where the input is left out.
  Result<double> constant_number(size_t index, double usual) const;

  /// Adds a primitive node; returns its first output.
  Result<ValueId> add(std::string_view op, std::initializer_list<ValueId> inputs,
                      std::initializer_list<Attribute> attributes = {}, size_t output_count = 1);
  /// Names the i-th output of the node.
  void set_output(size_t index, ValueId id);
  Error wrong(std::string_view what, std::string_view expected) const;

 private:
  struct Named {
    ValueId id = kNoValue;
    /// The branch that names it; 0 for the file's graph.
    uint32_t branch = 0;
  };
  using Names = std::map<std::string, Named, std::less<>>;
  /// What a name of a branch stood for before; no value: for nothing.
  struct Hidden {
    Names::iterator name;
    Named before;
  };

  uint64_t opset_;
  GraphBuilder builder_;
  Names values_;
  std::vector<Hidden> hidden_;  // of the branches that are being read
  uint32_t branch_ = 0;
  uint32_t branch_count_ = 0;
  std::string name_twice_;
  /// Weights that only products can read, and whether they are turned.
  std::map<ValueId, bool> matrices_;
  const OnnxNode* node_ = nullptr;
  std::vector<ValueId> inputs_;
  size_t node_count_ = 0;
  std::vector<ValueId> outputs_;
  std::vector<std::string> output_names_;
};

struct OnnxOperator {
  std::string_view name;
  Status (*translate)(OnnxTranslation& to) = nullptr;
};

/// All that run, sorted by their names.
std::span<const OnnxOperator> onnx_operators();
/// Null for an operator that is not run.
const OnnxOperator* find_onnx_operator(std::string_view name);

}  // namespace susurrus
