#include "graph/onnx/matrix_uses.h"

#include <algorithm>

#include "base/piece_budget.h"

namespace susurrus {

Status MatrixUses::add_use(std::string_view name, Use use) {
  if (name.empty()) return ok_status();
  const auto [at, is_new] = uses_.try_emplace(std::string(name), use);
  if (is_new) return budget_.take(kNameBytes + name.size());
  if (at->second != use) at->second = Use::other;
  return ok_status();
}

Status MatrixUses::add_others(const OnnxNode& node) {
  for (std::string_view input : node.inputs) SUSURRUS_RETURN_IF_ERROR(add_use(input, Use::other));
  for (const OnnxAttribute& attribute : node.attributes) {
    for (const OnnxGraphMessage& graph : attribute.graph) {
      for (const OnnxNode& inner : graph.nodes) SUSURRUS_RETURN_IF_ERROR(add_others(inner));
      for (const OnnxValueInfo& output : graph.outputs) {
        SUSURRUS_RETURN_IF_ERROR(add_use(output.name, Use::other));
      }
    }
  }
  return ok_status();
}

Status MatrixUses::add(const OnnxNode& node) {
  const bool is_usual = node.domain.empty() || node.domain == "ai.onnx";
  const bool is_lstm = node.op_type == "LSTM";
  if (!is_usual || (node.op_type != "MatMul" && node.op_type != "Gemm" && !is_lstm)) {
    return add_others(node);
  }
  const bool is_transposed = std::ranges::any_of(node.attributes, [](const OnnxAttribute& one) {
    return one.name == "transB" && one.integer != 0;
  });
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    Use use = Use::other;
    if (is_lstm && (i == 1 || i == 2)) use = Use::lstm;
    if (!is_lstm && i == 1) use = is_transposed ? Use::rows : Use::columns;
    SUSURRUS_RETURN_IF_ERROR(add_use(node.inputs[i], use));
  }
  return ok_status();
}

std::optional<MatrixOrder> MatrixUses::order_of(std::string_view name, const Shape& shape) const {
  const auto found = uses_.find(name);
  if (found == uses_.end() || shape.element_count().value_or(0) == 0) return std::nullopt;
  switch (found->second) {
    case Use::rows:
      if (shape.rank() == 2) return MatrixOrder::rows;
      break;
    case Use::columns:
      if (shape.rank() == 2) return MatrixOrder::columns;
      break;
    case Use::lstm:
      // A direction begins with a panel.
      if (shape.rank() == 3 && shape[1] % kPackedRows == 0) return MatrixOrder::rows;
      break;
    case Use::other: break;
  }
  return std::nullopt;
}

}  // namespace susurrus
