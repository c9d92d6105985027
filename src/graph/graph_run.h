#pragma once
#include "graph/plan.h"

namespace susurrus {

/// A graph with memory for one run at a time. Runs of the same shapes allocate nothing.
class GraphRun {
 public:
  /// The graph must live as long. out_of_memory.
  static Result<GraphRun> make(const Graph& graph, Plan plan,
                               const KernelTable& kernels = default_kernels());

  const Plan& plan() const { return plan_; }
  /// Memory for the inputs and outputs together with all activations.
  uint64_t byte_count() const { return memory_.byte_count(); }

  /// Where the caller's values of an input are read; they must stay until the run is over.
  void set_input(size_t index, const void* data) { inputs_[index] = data; }
  /// Starts a run.
  void begin() {
    step_ = 0;
    item_ = 0;
  }
  /// Work of about `cost` multiplications, at least one item; true when all is done. Errors name the node.
  Result<bool> step(uint64_t cost);
  /// All of it.
  Status run();
  /// After the last step; good until the next run.
  Tensor output(size_t index) const { return tensor_of(graph_->outputs[index]); }

 private:
  GraphRun(const Graph& graph, const KernelTable& kernels) : graph_(&graph), kernels_(&kernels) {}
  Tensor tensor_of(ValueId id) const;

  const Graph* graph_;
  const KernelTable* kernels_;
  Plan plan_;
  AlignedBuffer memory_;
  std::vector<const void*> inputs_;
  std::vector<Tensor> tensors_;  // of the current step: inputs, then outputs
  size_t step_ = 0;
  size_t item_ = 0;
};

}  // namespace susurrus
