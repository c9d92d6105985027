// Builds ONNX networks message by message, right or wrong on purpose; independent of OnnxScanner.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "container/apr2_builder.h"

namespace susurrus::testing {

void append_varint(Bytes& out, uint64_t value);
/// A field of numbers, and one of bytes.
void append_number_field(Bytes& out, uint32_t field, uint64_t value);
void append_bytes_field(Bytes& out, uint32_t field, const Bytes& bytes);
void append_text_field(Bytes& out, uint32_t field, std::string_view text);

struct BuiltValue {
  std::string name;
  /// Below zero: a dimension that has a name only.
  std::vector<int64_t> dims;
  uint64_t element_type = 1;
};

struct OnnxBuilder {
  std::vector<BuiltValue> inputs;
  std::vector<BuiltValue> outputs;
  std::vector<std::string> operators = {"MatMul", "Add", "MatMul"};
  /// Names of weights of four floats each; those listed as inputs too are as old networks have them.
  std::vector<std::string> initializers = {"weight"};
  /// Messages that come before those, as they are: NodeProto, TensorProto.
  std::vector<Bytes> nodes;
  std::vector<Bytes> tensors;
  bool has_graph = true;

  Bytes build() const;
};

}  // namespace susurrus::testing
