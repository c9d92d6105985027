#pragma once
#include <memory>
#include <string>
#include <vector>

#include "graph/onnx/proto_reader.h"
#include "graph/tensor.h"

namespace susurrus {

/// What an ONNX file says of a graph, before anything is made of it. Texts and tensors refer to the bytes that were read.

/// TensorProto.
struct OnnxTensor {
  std::string_view name;
  uint64_t data_type = 0;
  Shape shape;
  /// Elements as they lie in memory. Else they are in float_data, double_data, int32_data, int64_data or uint64_data, packed or one by
  /// one, among the fields.
  ByteSpan raw;
  bool has_raw = false;
  ProtoReader fields{"", {}, 0};
  uint64_t offset = 0;
};

struct OnnxGraphMessage;

/// AttributeProto.
struct OnnxAttribute {
  enum class Kind : uint8_t {
    none,
    number,
    integer,
    text,
    tensor,
    graph,
    numbers,
    integers,
    other
  };
  std::string_view name;
  Kind kind = Kind::none;
  float number = 0;
  int64_t integer = 0;
  std::string_view text;
  std::unique_ptr<OnnxTensor> tensor;   // of Kind::tensor
  std::vector<OnnxGraphMessage> graph;  // one
  std::vector<double> numbers;
  std::vector<int64_t> integers;
};

/// NodeProto.
struct OnnxNode {
  std::string_view name;
  std::string_view op_type;
  std::string_view domain;
  std::vector<std::string_view> inputs;  // empty: left out
  std::vector<std::string_view> outputs;
  std::vector<OnnxAttribute> attributes;
  uint64_t offset = 0;
};

/// ValueInfoProto.
struct OnnxValueInfo {
  std::string_view name;
  uint64_t element_type = 0;
  bool has_shape = false;
  /// -1 where a dimension is named.
  std::vector<int64_t> dims;
};

/// GraphProto of a branch, which has no inputs.
struct OnnxGraphMessage {
  std::vector<OnnxNode> nodes;
  std::vector<OnnxTensor> initializers;
  std::vector<OnnxValueInfo> outputs;
};

// Messages that are in memory: malformed, with the offset in the file: bytes that are not such a message. limit_exceeded,
// out_of_memory: records that are more than the reader's budget allows.

Result<OnnxTensor> read_onnx_tensor(ProtoReader reader, uint64_t offset);
/// limit_exceeded: graphs in graphs deeper than any network has.
Result<OnnxNode> read_onnx_node(ProtoReader reader, uint64_t offset);
/// Not more dimensions than one too many.
Result<OnnxValueInfo> read_onnx_value(ProtoReader reader);
/// An OperatorSetIdProto: the version, where it is the default domain's.
Status read_onnx_opset(ProtoReader reader, uint64_t& opset);

/// unsupported_dtype: one that is not calculated with here.
Result<ElementType> onnx_element_type(uint64_t data_type);
/// size_mismatch: the shape does not take the `found` bytes of elements.
Status check_byte_count(const OnnxTensor& tensor, ElementType type, uint64_t found);
/// The tensor with memory of its own, taken when its bytes were counted. size_mismatch: elements that are not as many as the shape says.
Result<OwnedTensor> take_tensor(const OnnxTensor& tensor);

}  // namespace susurrus
