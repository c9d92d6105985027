#pragma once
#include <map>
#include <optional>
#include <string>

#include "graph/matrix_writer.h"
#include "graph/onnx/onnx_messages.h"

namespace susurrus {

/// What the nodes of an ONNX graph do with its weights, which come behind them in the file.
class MatrixUses {
 public:
  void add(const OnnxNode& node);

  /// How the elements of a weight of these dimensions lie, if nothing but products of matrices reads it: Gemm's transposed and LSTM's
  /// row after row, others column after column.
  std::optional<MatrixOrder> order_of(std::string_view name, const Shape& shape) const;

 private:
  enum class Use : uint8_t { rows, columns, lstm, other };
  void add_use(std::string_view name, Use use);
  void add_others(const OnnxNode& node);

  std::map<std::string, Use, std::less<>> uses_;
};

}  // namespace susurrus
