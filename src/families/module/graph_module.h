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
  GraphModule() = default;
  /// The module's input that each of `fed` is.
  Result<std::vector<size_t>> order_of(std::span<const TennisFed> fed) const;
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
