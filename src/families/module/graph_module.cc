#include "families/module/graph_module.h"

#include <algorithm>

namespace susurrus {
namespace {

constexpr size_t kMostPrepared = 4;

Error wrong_fed(std::string_view subject, std::string_view expected, std::string_view got = {}) {
  return make_error(ErrorCode::invalid_argument, ErrorReason::option)
      .with_subject(subject)
      .with_expected(expected)
      .with_got(got);
}

bool is_same(std::span<const TennisFed> one, std::span<const TennisFed> other) {
  return std::ranges::equal(one, other, [](const TennisFed& a, const TennisFed& b) {
    return a.name == b.name && a.type == b.type && a.shape == b.shape;
  });
}

}  // namespace

GraphModule GraphModule::of_tennis(TennisModule module) {
  GraphModule made;
  for (const uint32_t node : module.inputs()) {
    made.inputs_.push_back({module.nodes()[node].name, std::nullopt, module.declared_shape(node)});
  }
  for (const uint32_t node : module.outputs()) made.outputs_.push_back(module.nodes()[node].name);
  made.warnings_.assign(module.warnings().begin(), module.warnings().end());
  for (const std::string& node : module.unsupported()) {
    made.warnings_.push_back(node + ": this operator is not run here");
  }
  made.tennis_ = std::move(module);
  return made;
}

GraphModule GraphModule::of_onnx(Graph graph) {
  GraphModule made;
  made.graph_ = std::make_unique<Graph>(std::move(graph));
  for (const ValueId id : made.graph_->inputs) {
    const GraphValue& value = made.graph_->values[id];
    made.inputs_.push_back({value.name, value.type, value.shape});
  }
  made.outputs_ = made.graph_->output_names;
  return made;
}

uint64_t GraphModule::weight_byte_count() const {
  uint64_t sum = 0;
  if (graph_ != nullptr) return constant_byte_count(*graph_);
  for (const TennisNode& node : tennis_->nodes()) {
    for (const TennisParameter& parameter : node.parameters) {
      for (const TennisField& field : parameter.fields) sum += field.bytes.byte_count();
    }
  }
  return sum;
}

Result<std::vector<size_t>> GraphModule::order_of(std::span<const TennisFed> fed) const {
  std::vector<size_t> order;
  std::vector<bool> is_fed(inputs_.size());
  for (size_t index = 0; index < fed.size(); ++index) {
    const std::string_view name = fed[index].name;
    size_t input = index;
    if (!name.empty()) {
      const auto found = std::ranges::find(inputs_, name, &Input::name);
      input = static_cast<size_t>(found - inputs_.begin());
    }
    if (input >= inputs_.size()) {
      return wrong_fed(name.empty() ? std::string_view("inputs") : name, "an input of the module");
    }
    if (is_fed[input]) return wrong_fed(inputs_[input].name, "each input once");
    const auto type = inputs_[input].type;
    if (type && *type != fed[index].type) {
      return wrong_fed(inputs_[input].name, element_type_name(*type),
                       element_type_name(fed[index].type));
    }
    is_fed[input] = true;
    order.push_back(input);
  }
  const auto missing = std::ranges::find(is_fed, false);
  if (missing != is_fed.end()) {
    return wrong_fed(inputs_[static_cast<size_t>(missing - is_fed.begin())].name,
                     "a tensor for each input");
  }
  return order;
}

Result<GraphModule::Planned> GraphModule::plan(std::span<const TennisFed> fed,
                                               std::span<const size_t> order) const {
  Planned made;
  if (tennis_) {
    SUSURRUS_ASSIGN_OR_RETURN(Graph graph, tennis_->graph(fed, &made.results));
    made.own_graph = std::make_unique<Graph>(std::move(graph));
  }
  made.graph = tennis_ ? made.own_graph.get() : graph_.get();
  std::vector<Shape> shapes(fed.size());
  for (size_t i = 0; i < fed.size(); ++i) shapes[order[i]] = fed[i].shape;
  SUSURRUS_ASSIGN_OR_RETURN(made.plan, make_plan(*made.graph, shapes));
  return made;
}

Result<GraphModule::Prepared> GraphModule::make(std::span<const TennisFed> fed,
                                                std::span<const size_t> order) const {
  SUSURRUS_ASSIGN_OR_RETURN(Planned planned, plan(fed, order));
  const Graph* graph = planned.graph;
  SUSURRUS_ASSIGN_OR_RETURN(GraphRun run, GraphRun::make(*graph, std::move(planned.plan)));
  Prepared made{{fed.begin(), fed.end()}, {}, std::move(planned.own_graph), graph,
                std::move(run),           {}};
  // The caller owns the names, so copy them.
  made.names.reserve(fed.size());
  for (TennisFed& one : made.fed) one.name = made.names.emplace_back(one.name);
  for (size_t i = 0; i < fed.size(); ++i) {
    SUSURRUS_RETURN_IF_ERROR(check_size(fed[i].type, fed[i].shape));
    const uint64_t byte_count = *fed[i].shape.element_count() * element_byte_count(fed[i].type);
    SUSURRUS_ASSIGN_OR_RETURN(auto buffer, AlignedBuffer::allocate(byte_count, "inputs"));
    made.run.set_input(order[i], buffer.data());
    made.inputs.push_back(std::move(buffer));
  }
  return made;
}

Status GraphModule::prepare(std::span<const TennisFed> fed) {
  const auto known =
      std::ranges::find_if(prepared_, [&](const auto& one) { return is_same(one->fed, fed); });
  if (known != prepared_.end()) {
    std::rotate(prepared_.begin(), known, known + 1);
    return ok_status();
  }
  SUSURRUS_ASSIGN_OR_RETURN(const std::vector<size_t> order, order_of(fed));
  SUSURRUS_ASSIGN_OR_RETURN(Prepared made, make(fed, order));
  if (prepared_.size() == kMostPrepared) prepared_.pop_back();
  prepared_.insert(prepared_.begin(), std::make_unique<Prepared>(std::move(made)));
  return ok_status();
}

std::span<uint8_t> GraphModule::input(size_t index) { return current().inputs[index].bytes(); }

}  // namespace susurrus
