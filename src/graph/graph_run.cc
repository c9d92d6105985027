#include "graph/graph_run.h"

#include <algorithm>

namespace susurrus {

Result<GraphRun> GraphRun::make(const Graph& graph, Plan plan, const KernelTable& kernels) {
  GraphRun run(graph, kernels);
  run.plan_ = std::move(plan);
  SUSURRUS_ASSIGN_OR_RETURN(run.memory_,
                            AlignedBuffer::allocate(run.plan_.run_byte_count(), "activations"));
  run.inputs_.resize(graph.inputs.size());
  size_t most = 0;
  for (const GraphNode& node : graph.nodes) {
    most = std::max(most, node.inputs.size() + node.outputs.size());
  }
  run.tensors_.reserve(most);
  return run;
}

Tensor GraphRun::tensor_of(ValueId id) const {
  if (id == kNoValue) return {};
  const ValuePlace& place = plan_.places[id];
  const void* data = nullptr;
  switch (place.kind) {
    case ValuePlace::Kind::unused: break;
    case ValuePlace::Kind::input: data = inputs_[place.where]; break;
    case ValuePlace::Kind::constant: return graph_->constants[place.where].view();
    case ValuePlace::Kind::folded: data = plan_.folded[place.where].buffer.data(); break;
    case ValuePlace::Kind::buffer: data = memory_.data() + place.where; break;
  }
  return {place.type, place.shape, const_cast<void*>(data)};
}

Result<bool> GraphRun::step(uint64_t cost) {
  for (uint64_t left = std::max<uint64_t>(cost, 1); left > 0 && step_ < plan_.steps.size();) {
    const auto& [index, work] = plan_.steps[step_];
    const GraphNode& node = graph_->nodes[index];
    tensors_.clear();
    for (ValueId id : node.inputs) tensors_.push_back(tensor_of(id));
    for (ValueId id : node.outputs) tensors_.push_back(tensor_of(id));
    const std::span<const Tensor> all = tensors_;
    const auto scratch = memory_.bytes().subspan(static_cast<size_t>(plan_.buffer_byte_count));
    const auto state_begin = align_up(plan_.scratch_byte_count, kBufferAlignment);
    const Call call{all.first(node.inputs.size()),
                    all.subspan(node.inputs.size()),
                    node.attributes,
                    scratch.first(work.scratch_byte_count),
                    scratch.subspan(static_cast<size_t>(state_begin), work.state_byte_count),
                    *kernels_};
    const uint64_t item_cost = std::max<uint64_t>(1, work.cost / std::max<size_t>(1, work.items));
    const auto count = static_cast<size_t>(
        std::min<uint64_t>(work.items - item_, std::max<uint64_t>(1, left / item_cost)));
    if (Status status = node.op->run(call, item_, item_ + count); !status) {
      Error error = status.error();
      if (error.offset == kNoOffset) error.offset = node.file_offset;
      FixedString<120> subject;
      subject.append(node.name);
      subject.append(": ");
      subject.append(error.subject.view());
      error.subject = subject;
      return error;
    }
    item_ += count;
    left -= std::min(left, count * item_cost);
    if (item_ == work.items) {
      item_ = 0;
      ++step_;
    }
  }
  return step_ == plan_.steps.size();
}

Status GraphRun::run() {
  begin();
  for (;;) {
    SUSURRUS_ASSIGN_OR_RETURN(const bool is_done, step(~uint64_t{0}));
    if (is_done) return ok_status();
  }
}

}  // namespace susurrus
