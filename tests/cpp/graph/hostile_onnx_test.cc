// ONNX networks that ask for far more than their bytes are worth.
#include "container/onnx_builder.h"
#include "graph/onnx/onnx_graph.h"
#include "harness.h"

namespace susurrus::testing {
namespace {

/// A TensorProto of f32 whose shape says how many elements it has.
Bytes tensor_of(uint64_t dim, const Bytes& raw) {
  Bytes tensor;
  append_number_field(tensor, 1, dim);
  append_number_field(tensor, 2, 1);
  append_text_field(tensor, 8, "w");
  append_bytes_field(tensor, 9, raw);
  return tensor;
}

}  // namespace

SUSURRUS_TEST(a_weight_gets_no_memory_before_its_bytes_are_counted) {
  // 2^44 bytes, which no machine gives, and a size that is no number of bytes.
  for (const uint64_t dim : {uint64_t{1} << 42, uint64_t{1} << 62}) {
    for (const Bytes& raw : {Bytes(4), Bytes(20 << 10)}) {
      OnnxBuilder file;
      file.initializers = {};
      file.tensors = {tensor_of(dim, raw)};
      const auto graph = graph_from_onnx("network", file.build(), 0);
      ASSERT_TRUE(!graph.has_value());
      EXPECT_EQ(error_code_name(graph.error().code), "malformed");
      EXPECT_EQ(error_reason_name(graph.error().reason), "size_mismatch");
      EXPECT_EQ(graph.error().subject.view(), "w");
      EXPECT_TRUE(graph.error().offset != kNoOffset);
    }
  }
}

}  // namespace susurrus::testing
