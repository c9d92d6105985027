#include "graph/product_weights.h"

#include <algorithm>
#include <array>

#include "kernels/packed_weights/packed_weights.h"
#include "kernels/scratch_layout.h"

namespace susurrus {
namespace {

class Preparer {
 public:
  Preparer(Graph& graph, const WeightOptions& options) : graph_(graph), options_(options) {
    uses_.resize(graph.values.size());
    turned_.assign(graph.values.size(), kNoValue);
    for (const GraphNode& node : graph.nodes) {
      for (ValueId id : node.inputs) {
        if (id != kNoValue) ++uses_[id];
      }
    }
    for (ValueId id : graph.outputs) ++uses_[id];
  }

  Status prepare() {
    const Operator* const matmul = find_operator("matmul");
    const Operator* const lstm = find_operator("lstm");
    const Operator* const convolution = find_operator("convolution");
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      GraphNode& node = graph_.nodes[i];
      if (node.op == matmul) SUSURRUS_RETURN_IF_ERROR(prepare_matmul(node));
      if (node.op == lstm) SUSURRUS_RETURN_IF_ERROR(prepare_lstm(node));
      if (node.op == convolution && options_.packs_filters) {
        SUSURRUS_RETURN_IF_ERROR(prepare_convolution(i));
      }
    }
    for (ValueId id = 0; id < uses_.size(); ++id) {
      const uint32_t constant = graph_.values[id].constant;
      if (uses_[id] == 0 && constant != kNoValue) graph_.constants[constant].buffer.reset();
    }
    return ok_status();
  }

 private:
  /// The matrix of a value that is a constant of f32; null of others.
  OwnedTensor* matrix_of(ValueId id, uint32_t rank) {
    const uint32_t index = graph_.values[id].constant;
    if (index == kNoValue) return nullptr;
    OwnedTensor& tensor = graph_.constants[index];
    if (tensor.type != ElementType::f32 || tensor.shape.rank() != rank || tensor.is_packed() ||
        tensor.shape.element_count() == 0) {
      return nullptr;
    }
    return &tensor;
  }

  WeightType type_for(uint64_t rows, uint64_t columns) const {
    return is_worth_packing(rows, columns) ? options_.type : WeightType::f32;
  }

  Result<OwnedTensor> made_from(const OwnedTensor& from, const Shape& shape, MatrixOrder order,
                                WeightType type) {
    SUSURRUS_ASSIGN_OR_RETURN(MatrixWriter writer,
                              MatrixWriter::make(shape, order, type, *options_.kernels));
    writer.push(from.buffer.bytes().first(from.view().byte_count()));
    return writer.finish();
  }

  /// b as [columns, inner]. What others read as well stays beside it.
  Status prepare_matmul(GraphNode& node) {
    const ValueId b = node.inputs[1];
    const OwnedTensor* matrix = matrix_of(b, 2);
    if (matrix == nullptr) return ok_status();
    const bool is_transposed = node.attributes.flag(0);
    Shape shape = matrix->shape;
    if (!is_transposed) shape = {matrix->shape[1], matrix->shape[0]};
    const WeightType type = type_for(shape[0], shape[1]);
    if (is_transposed && (type == WeightType::f32 || uses_[b] > 1)) return ok_status();
    if (turned_[b] == kNoValue) {
      SUSURRUS_ASSIGN_OR_RETURN(
          OwnedTensor made,
          made_from(*matrix, shape, is_transposed ? MatrixOrder::rows : MatrixOrder::columns,
                    type));
      GraphValue value = graph_.values[b];
      value.shape = shape;
      if (uses_[b] > 1) {
        value.constant = static_cast<uint32_t>(graph_.constants.size());
        graph_.constants.push_back(std::move(made));
        turned_[b] = static_cast<ValueId>(graph_.values.size());
        graph_.values.push_back(std::move(value));
        turned_.push_back(kNoValue);
        uses_.push_back(0);
      } else {
        graph_.constants[value.constant] = std::move(made);
        graph_.values[b] = std::move(value);
        turned_[b] = b;
      }
    }
    --uses_[b];
    node.inputs[1] = turned_[b];
    ++uses_[node.inputs[1]];
    const std::array<Attribute, 1> transposed = {{{"is_transposed", int64_t{1}}}};
    SUSURRUS_ASSIGN_OR_RETURN(node.attributes, Attributes::match(node.op->attributes, transposed));
    return ok_status();
  }

  /// Weights of both kinds, [directions, 4 * hidden, columns].
  Status prepare_lstm(GraphNode& node) {
    if (options_.type == WeightType::f32) return ok_status();
    for (const size_t input : {1, 2}) {
      const ValueId id = node.inputs[input];
      OwnedTensor* matrix = matrix_of(id, 3);
      // A direction begins with a panel.
      if (matrix == nullptr || uses_[id] != 1 || matrix->shape[1] % kPackedRows != 0) continue;
      if (type_for(matrix->shape[0] * matrix->shape[1], matrix->shape[2]) == WeightType::f32) {
        continue;
      }
      SUSURRUS_ASSIGN_OR_RETURN(
          *matrix, made_from(*matrix, matrix->shape, MatrixOrder::rows, options_.type));
    }
    return ok_status();
  }

  /// A product of many filters with few patches reads panels of filters; those of patches would have more room than patches.
  Status prepare_convolution(size_t index) {
    constexpr uint64_t kMostPlaces = 16;
    const GraphNode& node = graph_.nodes[index];
    const ValueId w = node.inputs[1];
    const auto& y_shape = graph_.values[node.outputs[0]].shape;
    if (!y_shape) return ok_status();
    const auto& x_shape = graph_.values[node.inputs[0]].shape;
    OwnedTensor* filters = matrix_of(w, y_shape->rank());
    if (filters == nullptr || uses_[w] != 1) return ok_status();
    const uint64_t channels = filters->shape[0];
    const uint64_t columns = *filters->shape.element_count() / channels;
    const bool is_grouped = filters->shape[1] != (*x_shape)[1];
    uint64_t places = 1;
    for (uint32_t i = 2; i < y_shape->rank(); ++i) places *= (*y_shape)[i];
    // Deeper sums would have another order.
    if (is_grouped || places > kMostPlaces || channels < kPackedRows ||
        columns > LinearScratch::kPanelDepth) {
      return ok_status();
    }
    const uint64_t rows = (channels + kPackedRows - 1) / kPackedRows * kPackedRows;
    SUSURRUS_ASSIGN_OR_RETURN(AlignedBuffer panels,
                              AlignedBuffer::allocate(rows * columns * sizeof(float), "weights"));
    pack_floats(static_cast<size_t>(channels), static_cast<size_t>(columns), filters->view().f32(),
                reinterpret_cast<float*>(panels.data()));
    filters->buffer = std::move(panels);
    filters->packed = {
        Dtype::f32, {channels, columns}, filters->buffer.data(), WeightLayout::float_panels};
    if (node.inputs.size() == 2) take_bias(index, channels);
    return ok_status();
  }

  /// What is added to each channel of a convolution, perhaps of a view of it, becomes its bias, which packed filters add to whole
  /// sums as well. The node that added it is left without use.
  void take_bias(size_t index, uint64_t channels) {
    ValueId sums = graph_.nodes[index].outputs[0];
    const uint64_t batch = (*graph_.values[sums].shape)[0];
    for (size_t i = index + 1; i < graph_.nodes.size() && uses_[sums] == 1; ++i) {
      const GraphNode& next = graph_.nodes[i];
      if (next.inputs.empty() || next.inputs[0] != sums) continue;
      const auto& shape = graph_.values[next.outputs[0]].shape;
      if (!shape || shape->rank() < 2 || (*shape)[0] != batch || (*shape)[1] != channels) return;
      if (next.op == find_operator("reshape")) {
        sums = next.outputs[0];
        continue;
      }
      if (next.op != find_operator("add")) return;
      const ValueId b = next.inputs[1];
      OwnedTensor* bias = matrix_of(b, shape->rank() - 1);
      if (bias == nullptr || uses_[b] != 1 || bias->shape[0] != channels ||
          bias->shape.element_count() != channels || graph_.values[sums].shape != shape) {
        return;
      }
      bias->shape = {channels};
      graph_.values[b].shape = bias->shape;
      graph_.nodes[index].inputs.push_back(b);
      replace(next.outputs[0], sums);
      return;
    }
  }

  /// All that reads one value reads another one.
  void replace(ValueId old, ValueId value) {
    for (GraphNode& node : graph_.nodes) std::ranges::replace(node.inputs, old, value);
    std::ranges::replace(graph_.outputs, old, value);
    uses_[value] = uses_[old];
  }

  Graph& graph_;
  const WeightOptions& options_;
  std::vector<uint32_t> uses_;   // of each value
  std::vector<ValueId> turned_;  // of each value, the one that has its columns as rows
};

}  // namespace

Status prepare_product_weights(Graph& graph, const WeightOptions& options) {
  return Preparer(graph, options).prepare();
}

}  // namespace susurrus
