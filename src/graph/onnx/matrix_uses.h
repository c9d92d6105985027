#pragma once
#include <map>
#include <optional>
#include <string>

#include "graph/matrix_writer.h"
#include "graph/onnx/onnx_messages.h"

namespace susurrus {

/// What the nodes of an ONNX graph do with its weights, which come after them in the file.
class MatrixUses {
 public:
  /// `byte_count` is the size of the file.
  explicit MatrixUses(uint64_t byte_count) : budget_(byte_count) {}

  /// limit_exceeded, out_of_memory: more names than such a file has.
  Status add(const OnnxNode& node);

  /// How the elements of a weight of these dimensions lie, if nothing but products of matrices reads it: Gemm's transposed and LSTM's
  /// row after row, others column after column.
  std::optional<MatrixOrder> order_of(std::string_view name, const Shape& shape) const;

 private:
  enum class Use : uint8_t { rows, columns, lstm, other };
  Status add_use(std::string_view name, Use use);
  Status add_others(const OnnxNode& node);

  PieceBudget budget_;
  std::map<std::string, Use, std::less<>> uses_;
};

}  // namespace susurrus
