#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "graph/graph_run.h"
#include "graph/tennis/tennis_module.h"

namespace susurrus {

/// A network that is run by name: tensors in, tensors out. Of a TenniS module, or of an ONNX file.
class GraphModule {
 public:
  struct Input {
    std::string name;
    /// What the file says; a TenniS module takes what it is fed with.
    std::optional<ElementType> type;
    std::optional<Shape> shape;
  };

  /// A node as the file has it.
  struct Node {
    std::string_view op;  // <param> and <const> are inputs and constants
    std::string_view name;
    /// Indices of the nodes whose results it takes.
    std::vector<uint32_t> inputs;
    std::vector<Inference::Output> outputs;
    uint64_t cost = 0;
  };
  /// What a run does with inputs of certain types and shapes.
  struct Description {
    std::vector<Node> nodes;
    /// Indices of nodes.
    std::vector<uint32_t> inputs;
    std::vector<uint32_t> outputs;
    /// The cost of all nodes, in multiplications or operations that take as long.
    uint64_t cost = 0;
    /// Memory for a run, and for the constants that it reads.
    uint64_t run_byte_count = 0;
    uint64_t constant_byte_count = 0;
  };

  static GraphModule of_tennis(TennisModule module);
  static GraphModule of_onnx(Graph graph);

  std::span<const Input> inputs() const { return inputs_; }
  std::span<const std::string> outputs() const { return outputs_; }
  std::span<const std::string> warnings() const { return warnings_; }
  /// Memory for weights.
  uint64_t weight_byte_count() const;

  /// For the next run: an input each, by name, or in order where a name is empty. What was made for the shapes of the last runs is
  /// used again. invalid_argument: an input twice, not at all or not known, or of another type; else what translating and planning
  /// finds wrong.
  Status prepare(std::span<const TennisFed> fed);
  /// Plans a run without running anything, and without memory for it; the errors of prepare(). Of a TenniS module the nodes are
  /// those of the file, of an ONNX network those that are run. Names are good as long as the module.
  Result<Description> describe(std::span<const TennisFed> fed) const;
  /// After prepare(): where the values of `fed[index]` go.
  std::span<uint8_t> input(size_t index);
  /// Memory for one run.
  uint64_t run_byte_count() const { return current().run.byte_count(); }
  void begin() { current().run.begin(); }
  /// Work of about `cost` multiplications; true when all is done. Errors name the node.
  Result<bool> step(uint64_t cost) { return current().run.step(cost); }
  /// After the last step; good until the next run.
  Tensor output(size_t index) const { return current().run.output(index); }
  size_t output_count() const { return current().graph->outputs.size(); }

 private:
  struct Prepared {
    std::vector<TennisFed> fed;
    std::vector<std::string> names;  // of `fed`
    std::unique_ptr<Graph> own_graph;
    const Graph* graph;
    GraphRun run;
    std::vector<AlignedBuffer> inputs;  // in the order of `fed`
  };
  struct Planned {
    std::unique_ptr<Graph> own_graph;
    const Graph* graph;
    Plan plan;
    /// TenniS modules only: the outputs of each node.
    std::vector<std::vector<Inference::Output>> results;
  };
  GraphModule() = default;
  /// The module's input that each of `fed` is.
  Result<std::vector<size_t>> order_of(std::span<const TennisFed> fed) const;
  Result<Planned> plan(std::span<const TennisFed> fed, std::span<const size_t> order) const;
  void describe_tennis(Planned& planned, Description& made) const;
  Result<Prepared> make(std::span<const TennisFed> fed, std::span<const size_t> order) const;
  Prepared& current() const { return *prepared_.front(); }

  std::optional<TennisModule> tennis_;
  std::unique_ptr<Graph> graph_;
  std::vector<Input> inputs_;
  std::vector<std::string> outputs_;
  std::vector<std::string> warnings_;
  /// The latest first.
  std::vector<std::unique_ptr<Prepared>> prepared_;
};

}  // namespace susurrus
