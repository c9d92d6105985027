#include "graph/plan.h"

#include <algorithm>

#include "base/checked_math.h"
#include "graph/buffer_layout.h"
#include "graph/folding_budget.h"

namespace susurrus {
namespace {

/// Larger results of constants, and what takes longer than a part of a second, are computed in each run.
constexpr FoldingBudget kFolding{64 << 20, uint64_t{1} << 28};

/// The error of a node's rule, with the node's name and place.
Error placed(const GraphNode& node, const Error& error) {
  Error placed = error;
  if (placed.offset == kNoOffset) placed.offset = node.file_offset;
  FixedString<120> subject;
  subject.append(node.name);
  subject.append(" (");
  subject.append(node.op->name);
  subject.append(")");
  if (!error.subject.view().empty()) {
    subject.append(": ");
    subject.append(error.subject.view());
  }
  placed.subject = subject;
  return placed;
}

class Planner {
 public:
  Planner(const Graph& graph, std::span<const Shape> input_shapes) : graph_(graph) {
    plan_.input_shapes.assign(input_shapes.begin(), input_shapes.end());
    plan_.places.resize(graph.values.size());
  }

  Result<Plan> make() {
    SUSURRUS_RETURN_IF_ERROR(place_inputs());
    place_constants();
    mark_needed();
    for (uint32_t node = 0; node < graph_.nodes.size(); ++node) {
      if (!is_needed_[node]) continue;
      if (Status status = plan_node(node); !status) {
        return placed(graph_.nodes[node], status.error());
      }
    }
    place_buffers();
    return std::move(plan_);
  }

 private:
  /// While a graph is planned: which value's buffer another one is in, and when it is last read.
  struct Life {
    ValueId owner = kNoValue;
    uint32_t first = 0;
    uint32_t last = 0;
  };

  Status place_inputs() {
    if (plan_.input_shapes.size() != graph_.inputs.size()) {
      return make_error(ErrorCode::invalid_argument, ErrorReason::size_mismatch)
          .with_subject("inputs")
          .with_expected(graph_.inputs.size())
          .with_got(plan_.input_shapes.size());
    }
    for (size_t i = 0; i < graph_.inputs.size(); ++i) {
      const GraphValue& value = graph_.values[graph_.inputs[i]];
      const Shape& shape = plan_.input_shapes[i];
      if (value.shape && !fits(*value.shape, shape)) {
        return make_error(ErrorCode::shape_mismatch, ErrorReason::bad_shape)
            .with_subject(value.name)
            .with_expected(declared_text(*value.shape).view())
            .with_got(shape_text(shape).view());
      }
      SUSURRUS_RETURN_IF_ERROR(check_size(value.type, shape));
      plan_.places[graph_.inputs[i]] = {ValuePlace::Kind::input, i, value.type, shape};
    }
    return ok_status();
  }

  static bool fits(const Shape& declared, const Shape& shape) {
    if (declared.rank() != shape.rank()) return false;
    for (uint32_t i = 0; i < shape.rank(); ++i) {
      if (declared[i] != kAnyDim && declared[i] != shape[i]) return false;
    }
    return true;
  }

  static FixedString<120> declared_text(const Shape& shape) {
    FixedString<120> text;
    for (uint32_t i = 0; i < shape.rank(); ++i) {
      if (i > 0) text.append("×");
      if (shape[i] == kAnyDim) {
        text.append("any");
      } else {
        text.append(shape_text({shape[i]}).view());
      }
    }
    return text;
  }

  void place_constants() {
    for (ValueId id = 0; id < graph_.values.size(); ++id) {
      const GraphValue& value = graph_.values[id];
      if (value.constant == kNoValue) continue;
      plan_.places[id] = {ValuePlace::Kind::constant, value.constant, value.type, *value.shape};
    }
  }

  void mark_needed() {
    is_needed_.assign(graph_.nodes.size(), false);
    std::vector<bool> is_wanted(graph_.values.size());
    for (ValueId id : graph_.outputs) is_wanted[id] = true;
    for (size_t node = graph_.nodes.size(); node-- > 0;) {
      const GraphNode& one = graph_.nodes[node];
      if (std::ranges::none_of(one.outputs, [&](ValueId id) { return is_wanted[id]; })) continue;
      is_needed_[node] = true;
      for (ValueId id : one.inputs) {
        if (id != kNoValue) is_wanted[id] = true;
      }
    }
  }

  /// The constant that a value is.
  const OwnedTensor* known(const ValuePlace& place) const {
    if (place.kind == ValuePlace::Kind::constant) return &graph_.constants[place.where];
    if (place.kind == ValuePlace::Kind::folded) return &plan_.folded[place.where];
    return nullptr;
  }

  Status plan_node(uint32_t index) {
    const GraphNode& node = graph_.nodes[index];
    operands_.clear();
    bool is_constant = true;
    const bool reads_shapes_alone = node.op->reads_shapes_alone;
    for (ValueId id : node.inputs) {
      Operand operand;
      operand.is_present = id != kNoValue;
      if (operand.is_present) {
        const ValuePlace& place = plan_.places[id];
        operand.type = place.type;
        operand.shape = place.shape;
        if (const OwnedTensor* constant = known(place)) {
          const Tensor tensor = constant->view();
          operand.constant = tensor.data;
          operand.packed = tensor.packed;
        }
        // Values without elements are known without memory.
        is_constant = is_constant && (operand.constant != nullptr || reads_shapes_alone ||
                                      place.shape.element_count() == 0);
      }
      operands_.push_back(operand);
    }
    outputs_.assign(node.outputs.size(), {});
    Inference inference{operands_, node.attributes, outputs_, {}};
    SUSURRUS_RETURN_IF_ERROR(node.op->infer(inference));
    for (const Inference::Output& output : outputs_) {
      SUSURRUS_RETURN_IF_ERROR(check_size(output.type, output.shape));
    }
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      plan_.places[node.outputs[i]] = {ValuePlace::Kind::buffer, 0, outputs_[i].type,
                                       outputs_[i].shape};
    }
    if (is_constant && folding_.take(outputs_, inference.work)) return fold(node);
    plan_.scratch_byte_count =
        std::max<uint64_t>(plan_.scratch_byte_count, inference.work.scratch_byte_count);
    plan_.state_byte_count =
        std::max<uint64_t>(plan_.state_byte_count, inference.work.state_byte_count);
    plan_.cost += inference.work.cost;
    plan_.steps.push_back({index, inference.work});
    return ok_status();
  }

  /// Computes a node whose inputs are known.
  Status fold(const GraphNode& node) {
    SUSURRUS_ASSIGN_OR_RETURN(std::vector<OwnedTensor> outputs,
                              run_once(*node.op, operands_, node.attributes, node.outputs.size()));
    for (size_t i = 0; i < outputs.size(); ++i) {
      ValuePlace& place = plan_.places[node.outputs[i]];
      place.kind = ValuePlace::Kind::folded;
      place.where = plan_.folded.size();
      plan_.folded.push_back(std::move(outputs[i]));
    }
    return ok_status();
  }

  /// Lays values that do not live at the same time over each other.
  void place_buffers() {
    std::vector<Life> lives(graph_.values.size());
    const auto is_buffer = [&](ValueId id) {
      return plan_.places[id].kind == ValuePlace::Kind::buffer;
    };
    for (uint32_t step = 0; step < plan_.steps.size(); ++step) {
      const GraphNode& node = graph_.nodes[plan_.steps[step].node];
      for (ValueId id : node.outputs) lives[id] = {id, step, step};
      for (ValueId id : node.inputs) {
        if (id != kNoValue && is_buffer(id)) lives[id].last = step;
      }
    }
    const auto end = static_cast<uint32_t>(plan_.steps.size());
    for (ValueId id : graph_.outputs) lives[id].last = end;

    for (uint32_t step = 0; step < plan_.steps.size(); ++step) share(lives, step);
    std::vector<ValueId> owners;
    std::vector<Buffer> buffers;
    for (ValueId id = 0; id < lives.size(); ++id) {
      if (lives[id].owner != id || !is_buffer(id)) continue;
      owners.push_back(id);
      const uint64_t size = align_up(byte_count(id) + kOverreadBytes, kBufferAlignment);
      buffers.push_back({lives[id].first, lives[id].last, size});
    }
    plan_.buffer_byte_count = lay_buffers(buffers);
    for (size_t i = 0; i < owners.size(); ++i) plan_.places[owners[i]].where = buffers[i].place;
    for (ValueId id = 0; id < lives.size(); ++id) {
      if (is_buffer(id) && lives[id].owner != kNoValue) {
        plan_.places[id].where = plan_.places[lives[id].owner].where;
      }
    }
  }

  uint64_t byte_count(ValueId id) const {
    const ValuePlace& place = plan_.places[id];
    return *place.shape.element_count() * element_byte_count(place.type);
  }

  /// Gives the output of a step the place of its first input, where the operator and the input's life allow it.
  void share(std::vector<Life>& lives, uint32_t step) {
    const GraphNode& node = graph_.nodes[plan_.steps[step].node];
    if (node.op->sharing == Sharing::none) return;
    const ValueId from = node.inputs.front();
    const ValueId to = node.outputs.front();
    if (plan_.places[from].kind != ValuePlace::Kind::buffer || byte_count(from) != byte_count(to)) {
      return;
    }
    Life& owner = lives[lives[from].owner];
    // What others still read must not be written over. A view writes nothing.
    if (node.op->sharing == Sharing::in_place && owner.last > step) return;
    if (node.op->sharing == Sharing::in_place && std::ranges::count(node.inputs, from) != 1) return;
    lives[to].owner = lives[from].owner;
    owner.last = std::max(owner.last, lives[to].last);
  }

  const Graph& graph_;
  Plan plan_;
  std::vector<bool> is_needed_;
  std::vector<Operand> operands_;
  std::vector<Inference::Output> outputs_;
  FoldingBudget folding_ = kFolding;
};

}  // namespace

Result<Plan> make_plan(const Graph& graph, std::span<const Shape> input_shapes) {
  return Planner(graph, input_shapes).make();
}

}  // namespace susurrus
