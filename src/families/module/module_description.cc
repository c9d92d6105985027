// What a run of a module does, node by node.
#include "families/module/graph_module.h"

namespace susurrus {
namespace {

/// The nodes that are run, in order, with the inputs and constants that they read.
class StepNodes {
 public:
  StepNodes(const Graph& graph, const Plan& plan, GraphModule::Description& made)
      : graph_(graph), plan_(plan), made_(made), rows_(graph.values.size(), kNoValue) {
    for (const ValueId id : graph.inputs) made.inputs.push_back(add("<param>", id));
    for (const PlanStep& step : plan.steps) add_step(step);
    for (const ValueId id : graph.outputs) made.outputs.push_back(row(id));
  }

 private:
  /// What is not an input and comes from no step is a constant, or was worked out of constants.
  uint32_t row(ValueId id) { return rows_[id] == kNoValue ? add("<const>", id) : rows_[id]; }

  uint32_t add(std::string_view op, ValueId id) {
    rows_[id] = static_cast<uint32_t>(made_.nodes.size());
    made_.nodes.push_back({op, graph_.values[id].name, {}, {given(id)}, uint64_t{0}});
    return rows_[id];
  }

  Inference::Output given(ValueId id) const {
    return {plan_.places[id].type, plan_.places[id].shape};
  }

  void add_step(const PlanStep& step) {
    const GraphNode& node = graph_.nodes[step.node];
    GraphModule::Node one{node.op->name, node.name, {}, {}, step.work.cost};
    for (const ValueId id : node.inputs) {
      if (id != kNoValue) one.inputs.push_back(row(id));
    }
    for (const ValueId id : node.outputs) {
      one.outputs.push_back(given(id));
      rows_[id] = static_cast<uint32_t>(made_.nodes.size());
    }
    made_.nodes.push_back(std::move(one));
  }

  const Graph& graph_;
  const Plan& plan_;
  GraphModule::Description& made_;
  std::vector<uint32_t> rows_;  // the node of each value
};

}  // namespace

void GraphModule::describe_tennis(Planned& planned, Description& made) const {
  for (const TennisNode& node : tennis_->nodes()) {
    auto& outputs = planned.results[made.nodes.size()];
    made.nodes.push_back({node.op, node.name, node.arguments, std::move(outputs), uint64_t{0}});
  }
  for (const PlanStep& step : planned.plan.steps) {
    made.nodes[planned.graph->nodes[step.node].file_node].cost += step.work.cost;
  }
  made.inputs.assign(tennis_->inputs().begin(), tennis_->inputs().end());
  made.outputs.assign(tennis_->outputs().begin(), tennis_->outputs().end());
}

Result<GraphModule::Description> GraphModule::describe(std::span<const TennisFed> fed) const {
  SUSURRUS_ASSIGN_OR_RETURN(const std::vector<size_t> order, order_of(fed));
  SUSURRUS_ASSIGN_OR_RETURN(Planned planned, plan(fed, order));
  Description made;
  if (tennis_) {
    describe_tennis(planned, made);
  } else {
    StepNodes(*planned.graph, planned.plan, made);
  }
  made.cost = planned.plan.cost;
  made.run_byte_count = planned.plan.run_byte_count();
  made.constant_byte_count = constant_byte_count(*planned.graph);
  for (const OwnedTensor& folded : planned.plan.folded) {
    made.constant_byte_count += folded.buffer.byte_count();
  }
  return made;
}

}  // namespace susurrus
