// ONNX networks that ask for far more than their bytes are worth.
#include "container/onnx_builder.h"
#include "graph/onnx/onnx_graph.h"
#include "harness.h"
#include "session/allocation_count.h"

namespace susurrus::testing::hostile_onnx_test {
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

/// A file with so many copies of a message in its graph, and the error of reading it within the memory that we promise: 16 MiB, and
/// eight times what the file holds.
Error error_within_promise(const Bytes& graph) {
  Bytes model;
  append_bytes_field(model, 7, graph);
  watch_bytes();
  const auto read = graph_from_onnx("network", model, 0);
  EXPECT_TRUE(most_bytes() <= (16 << 20) + 8 * model.size());
  return read ? Error() : read.error();
}

Bytes repeated(const Bytes& piece, size_t byte_count) {
  Bytes bytes;
  while (bytes.size() < byte_count) bytes.insert(bytes.end(), piece.begin(), piece.end());
  return bytes;
}

/// Messages in a field.
Bytes in_field(uint32_t field, const Bytes& message) {
  Bytes bytes;
  append_bytes_field(bytes, field, message);
  return bytes;
}

constexpr size_t kHostileBytes = 1 << 20;

}  // namespace

SUSURRUS_TEST(many_small_pieces_take_no_more_memory_than_their_bytes_justify) {
  const auto expect_limit = [](const Bytes& graph) {
    const Error error = error_within_promise(graph);
    EXPECT_EQ(error_code_name(error.code), "limit_exceeded");
    EXPECT_EQ(error_reason_name(error.reason), "limit");
    EXPECT_TRUE(error.offset != kNoOffset);
    EXPECT_TRUE(!error.subject.empty());
  };
  // In one node: empty attributes, inputs, outputs; integers that are not packed; a branch of empty nodes.
  Bytes integers;
  append_number_field(integers, 8, 0);
  expect_limit(in_field(1, repeated(in_field(5, {}), kHostileBytes)));
  expect_limit(in_field(1, repeated(in_field(1, {}), kHostileBytes)));
  expect_limit(in_field(1, repeated(in_field(2, {}), kHostileBytes)));
  expect_limit(in_field(1, in_field(5, repeated(integers, kHostileBytes))));
  expect_limit(in_field(1, in_field(5, in_field(6, repeated(in_field(1, {}), kHostileBytes)))));
  // Initialisers of no elements.
  Bytes empty;
  append_number_field(empty, 1, 0);
  append_number_field(empty, 2, 1);
  expect_limit(repeated(in_field(5, empty), kHostileBytes));
  // Nodes that are worked out later.
  Bytes type;
  append_number_field(type, 1, 1);
  Bytes graph;
  Bytes input;
  append_text_field(input, 1, "x");
  append_bytes_field(input, 2, in_field(1, type));
  append_bytes_field(graph, 11, input);
  Bytes node;
  append_text_field(node, 1, "x");
  append_text_field(node, 4, "Exp");
  const Bytes nodes = repeated(in_field(1, node), kHostileBytes);
  graph.insert(graph.end(), nodes.begin(), nodes.end());
  expect_limit(graph);
}

SUSURRUS_TEST(pieces_that_mean_nothing_are_kept_as_their_bytes) {
  // The first of them is wrong, and the message's bytes are all that is kept before that is known.
  for (const uint32_t field : {5, 13}) {
    const Error error = error_within_promise(repeated(in_field(field, {}), kHostileBytes));
    EXPECT_TRUE(error.code != ErrorCode::limit_exceeded);
  }
  // Packed integers are eight bytes each.
  const Bytes packed = in_field(8, Bytes(kHostileBytes));
  EXPECT_TRUE(error_within_promise(in_field(1, in_field(5, packed))).code !=
              ErrorCode::internal_error);
}

SUSURRUS_TEST(a_weight_gets_no_memory_before_its_bytes_are_counted) {
  // 2^44 bytes, which no machine gives, and a size that no byte count can have.
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

}  // namespace susurrus::testing::hostile_onnx_test
