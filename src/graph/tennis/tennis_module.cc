#include "graph/tennis/tennis_module.h"

#include <algorithm>
#include <cstring>

#include "container/read_error.h"
#include "container/tennis/tennis_names.h"
#include "container/tennis/tennis_reader.h"
#include "graph/tennis/tennis_translation.h"

namespace susurrus {

/// Keeps what a reader tells.
class TennisLoader : public TennisSink {
 public:
  explicit TennisLoader(TennisModule& module) : module_(module), budget_(module.byte_count()) {}

  Status on_header(const TennisHeader&) override { return ok_status(); }
  Status on_module(std::span<const uint32_t> inputs, std::span<const uint32_t> outputs,
                   uint32_t node_count) override {
    SUSURRUS_RETURN_IF_ERROR(take(sizeof(TennisNode) * uint64_t{node_count}));
    module_.nodes_.reserve(node_count);
    module_.inputs_.assign(inputs.begin(), inputs.end());
    module_.outputs_.assign(outputs.begin(), outputs.end());
    return ok_status();
  }
  Status on_node(uint32_t parameter_count) override {
    module_.nodes_.emplace_back();
    // The reader has a record of each until the node ends.
    constexpr uint64_t kRecordBytes = 24;
    SUSURRUS_RETURN_IF_ERROR(take((sizeof(TennisParameter) + kRecordBytes) * parameter_count));
    node().parameters.reserve(parameter_count);
    return ok_status();
  }
  Status on_parameter(std::string_view name, uint32_t field_count) override {
    node().parameters.push_back({std::string(name), {}});
    SUSURRUS_RETURN_IF_ERROR(take(name.size() + sizeof(TennisField) * uint64_t{field_count}));
    node().parameters.back().fields.reserve(field_count);
    return ok_status();
  }
  Status on_tensor(const TennisTensor& tensor) override {
    // The place of a node is that of its first tensor, just after its beginning.
    if (node().parameters.size() == 1 && node().parameters[0].fields.empty()) {
      node().file_offset = tensor.file_offset;
    }
    TennisField field;
    field.dtype = tensor.dtype;
    field.shape = tensor.shape;
    // An allocation has its own bytes before and after it.
    if (tensor.byte_count > 0) SUSURRUS_RETURN_IF_ERROR(take(2 * kBufferAlignment));
    SUSURRUS_ASSIGN_OR_RETURN(field.bytes,
                              AlignedBuffer::allocate(tensor.byte_count, "parameters"));
    node().parameters.back().fields.push_back(std::move(field));
    filled_ = 0;
    return ok_status();
  }
  Status on_tensor_bytes(ByteSpan bytes) override {
    uint8_t* to = node().parameters.back().fields.back().bytes.data();
    std::memcpy(to + filled_, bytes.data(), bytes.size());
    filled_ += bytes.size();
    return ok_status();
  }
  Status on_node_end(std::span<const uint32_t> arguments) override {
    node().arguments.assign(arguments.begin(), arguments.end());
    node().op = text("#op");
    node().name = text("#name");
    return take(node().op.size() + node().name.size());
  }
  void on_warning(std::string_view text) override { module_.warnings_.emplace_back(text); }

 private:
  TennisNode& node() { return module_.nodes_.back(); }
  /// Memory for a node without its elements.
  Status take(uint64_t byte_count) {
    const Status taken = budget_.take(byte_count);
    if (taken) return taken;
    const size_t count = module_.nodes_.size();
    return Error(taken.error())
        .with_subject(tennis_subject(count == 0 ? 0 : count - 1, {}, "parameters"));
  }
  /// The reader has checked that they are characters.
  std::string text(std::string_view name) {
    const TennisParameter* found = node().parameter(name);
    if (found == nullptr) return {};
    const AlignedBuffer& bytes = found->fields[0].bytes;
    return {reinterpret_cast<const char*>(bytes.data()), bytes.byte_count()};
  }

  TennisModule& module_;
  PieceBudget budget_;
  size_t filled_ = 0;
};

const TennisParameter* TennisNode::parameter(std::string_view wanted) const {
  const auto found = std::ranges::find(parameters, wanted, &TennisParameter::name);
  return found == parameters.end() ? nullptr : &*found;
}

Result<TennisModule> TennisModule::read(ByteSpan bytes) {
  TennisModule module;
  module.byte_count_ = bytes.size();
  TennisLoader loader(module);
  TennisReader reader(loader);
  reader.set_file_byte_count(bytes.size());
  SUSURRUS_RETURN_IF_ERROR(reader.push(bytes));
  SUSURRUS_RETURN_IF_ERROR(reader.finish());
  if (module.outputs_.empty()) {
    return malformed(ErrorReason::model, kNoOffset, "outputs").with_expected("at least one");
  }
  SUSURRUS_RETURN_IF_ERROR(module.sort_needed());
  return module;
}

/// Depth first, without recursion: a chain of nodes may be as long as the file. The reader has rejected cycles.
Status TennisModule::sort_needed() {
  std::vector<uint32_t> next(nodes_.size());
  std::vector<bool> is_known(nodes_.size());
  std::vector<uint32_t> path;
  for (const uint32_t root : outputs_) {
    if (!is_known[root]) path.push_back(root);
    while (!path.empty()) {
      const uint32_t index = path.back();
      const TennisNode& node = nodes_[index];
      if (next[index] < node.arguments.size()) {
        const uint32_t argument = node.arguments[next[index]++];
        if (!is_known[argument]) path.push_back(argument);
        continue;
      }
      path.pop_back();
      if (is_known[index]) continue;
      is_known[index] = true;
      order_.push_back(index);
      if (node.op.empty()) {
        return malformed(ErrorReason::model, node.file_offset,
                         tennis_subject(index, node.name, "#op"))
            .with_expected("an operator");
      }
      if (node.op != "<param>" && node.op != "<const>" &&
          find_tennis_operator(node.op) == nullptr) {
        unsupported_.push_back(tennis_subject(index, node.name, node.op));
      }
    }
  }
  return ok_status();
}

std::optional<Shape> TennisModule::declared_shape(uint32_t node) const {
  return TennisTranslation(*this).declared_shape(node);
}

Result<Graph> TennisModule::graph(std::span<const TennisFed> fed,
                                  std::vector<std::vector<Inference::Output>>* results) const {
  return TennisTranslation(*this).translate(fed, results);
}

}  // namespace susurrus
