#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace susurrus {

/// An input or output of an ONNX graph.
struct OnnxValue {
  static constexpr int64_t kDynamic = -1;

  std::string name;
  /// TensorProto.DataType: 1 f32, 7 i64; 0 if the value is not a tensor.
  uint64_t element_type = 0;
  bool has_shape = false;
  /// Outermost first; kDynamic where the file names a dimension instead of giving its size.
  std::vector<int64_t> dims;
  /// The file offset of its message.
  uint64_t file_offset = 0;

  bool is_static() const;
};

/// What an ONNX ModelProto says about its graph; weights and nodes are counted, not kept.
struct OnnxNetwork {
  uint64_t ir_version = 0;
  /// The version of the default domain.
  uint64_t opset_version = 0;
  /// Excludes initialisers.
  std::vector<OnnxValue> inputs;
  std::vector<OnnxValue> outputs;
  uint64_t node_count = 0;
  uint64_t initializer_count = 0;
  /// Each once, sorted.
  std::vector<std::string> operators;
};

/// "f32", "i64", …; empty for a number that ONNX does not define.
const char* onnx_type_name(uint64_t element_type);

}  // namespace susurrus
