#include "container/tennis/tennis_writer.h"

#include "container/tennis_recording.h"
#include "harness.h"
#include "stream/output_buffer.h"

namespace susurrus::testing::tennis_writer_test {
namespace {

Bytes bytes_of(const OutputBuffer& out) { return {out.bytes().begin(), out.bytes().end()}; }

/// Reads a file into a writer.
Bytes copied(const Bytes& file, size_t chunk_size, std::vector<std::string>* warnings = nullptr) {
  OutputBuffer out;
  TennisWriter writer(out);
  EXPECT_TRUE(read_module(writer, file, false, chunk_size).has_value());
  EXPECT_TRUE(writer.finish().has_value());
  EXPECT_EQ(writer.byte_count(), out.bytes().size());
  if (warnings != nullptr) *warnings = writer.warnings();
  return bytes_of(out);
}

TennisTensor tensor_of(TennisDtype dtype, Shape shape) {
  TennisTensor tensor;
  tensor.dtype = dtype;
  tensor.shape = shape;
  return tensor;
}

Status write_text(TennisWriter& writer, std::string_view name, std::string_view text) {
  SUSURRUS_RETURN_IF_ERROR(writer.on_parameter(name, 1));
  SUSURRUS_RETURN_IF_ERROR(writer.on_tensor(tensor_of(TennisDtype::char8, {text.size()})));
  return writer.on_tensor_bytes(as_bytes(text));
}

Status write_node(TennisWriter& writer, std::string_view op, std::string_view name,
                  std::vector<uint32_t> arguments) {
  SUSURRUS_RETURN_IF_ERROR(writer.on_node(2));
  SUSURRUS_RETURN_IF_ERROR(write_text(writer, "#op", op));
  SUSURRUS_RETURN_IF_ERROR(write_text(writer, "#name", name));
  return writer.on_node_end(arguments);
}

/// A module of one input and one operator that depends on `argument`.
Status write_small(TennisWriter& writer, std::vector<uint32_t> inputs, uint32_t argument,
                   std::string_view op = "relu") {
  SUSURRUS_RETURN_IF_ERROR(writer.on_header({}));
  const uint32_t outputs[] = {1};
  SUSURRUS_RETURN_IF_ERROR(writer.on_module(inputs, outputs, 2));
  SUSURRUS_RETURN_IF_ERROR(write_node(writer, "<param>", "x", {}));
  SUSURRUS_RETURN_IF_ERROR(write_node(writer, op, "y", {argument}));
  return writer.finish();
}

void expect_refused(const Status& status, ErrorCode code, ErrorReason reason,
                    std::string_view subject) {
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(error_code_name(status.error().code), error_code_name(code));
  EXPECT_EQ(error_reason_name(status.error().reason), error_reason_name(reason));
  EXPECT_EQ(status.error().subject.view(), subject);
}

/// Fails after a given number of bytes.
class FullDisk : public ByteSink {
 public:
  explicit FullDisk(uint64_t room) : room_(room) {}
  Status write(ByteSpan bytes) override {
    if (bytes.size() > room_) {
      return make_error(ErrorCode::source_failed, ErrorReason::source).with_subject("disk");
    }
    room_ -= bytes.size();
    return ok_status();
  }

 private:
  uint64_t room_;
};

}  // namespace

SUSURRUS_TEST(tennis_copies_are_the_same_to_the_byte) {
  for (TennisBuilder builder : {small_module(), module_of_every_dtype()}) {
    const Bytes file = builder.build();
    for (const size_t chunk_size : {~size_t{0}, size_t{1}, size_t{29}}) {
      std::vector<std::string> warnings;
      EXPECT_TRUE(copied(file, chunk_size, &warnings) == file);
      EXPECT_TRUE(warnings.empty());
    }
  }
}

SUSURRUS_TEST(tennis_copies_lose_what_stands_behind_the_graph_and_say_so) {
  TennisBuilder builder = small_module();
  const Bytes clean = builder.build();
  builder.behind = Bytes(7, 0xAB);
  std::vector<std::string> warnings;
  EXPECT_TRUE(copied(builder.build(), 11, &warnings) == clean);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0], "7 bytes behind the graph are ignored");
}

SUSURRUS_TEST(tennis_copies_keep_long_names) {
  TennisBuilder builder = small_module();
  builder.nodes[5].parameters.push_back(parameter(std::string(40, 'n'), int32_field({}, {1})));
  const Bytes file = builder.build();
  std::vector<std::string> warnings;
  EXPECT_TRUE(copied(file, 11, &warnings) == file);
  EXPECT_EQ(warnings.size(), 1u);
}

SUSURRUS_TEST(tennis_module_is_written_from_its_parts) {
  // Text that is not ASCII has its number of bytes as its size.
  OutputBuffer out;
  TennisWriter writer(out);
  ASSERT_TRUE(writer.on_header({}).has_value());
  const uint32_t index[] = {0};
  ASSERT_TRUE(writer.on_module(index, index, 1).has_value());
  ASSERT_TRUE(write_node(writer, "<param>", "größe", {}).has_value());
  ASSERT_TRUE(writer.finish().has_value());
  TennisBuilder builder;
  builder.reserved_word = 0;
  builder.inputs = builder.outputs = {0};
  builder.nodes = {node("<param>", "größe", {})};
  EXPECT_TRUE(bytes_of(out) == builder.build());
  EXPECT_EQ(builder.nodes[0].parameters[1].fields[0].shape[0], 7);
}

SUSURRUS_TEST(tennis_writer_refuses_what_a_reader_would) {
  const auto written = [](std::vector<uint32_t> inputs, uint32_t argument, std::string_view op) {
    OutputBuffer out;
    TennisWriter writer(out);
    return write_small(writer, inputs, argument, op);
  };
  EXPECT_TRUE(written({0}, 0, "relu").has_value());
  using Code = ErrorCode;
  using Reason = ErrorReason;
  expect_refused(written({2}, 0, "relu"), Code::invalid_argument, Reason::bad_index, "inputs[0]");
  expect_refused(written({1}, 0, "relu"), Code::invalid_argument, Reason::contradiction,
                 "inputs[0]");
  expect_refused(written({}, 0, "relu"), Code::invalid_argument, Reason::contradiction,
                 "node 0 \"x\"");
  expect_refused(written({0}, 1, "relu"), Code::invalid_argument, Reason::bad_index,
                 "node 1 \"y\": arguments[0]");
  expect_refused(written({0}, 0, "<var>"), Code::invalid_argument, Reason::unsupported,
                 "node 1 \"y\": #op");
  expect_refused(written({0}, 0, "<const>"), Code::invalid_argument, Reason::bad_metadata,
                 "node 1 \"y\": value");
}

SUSURRUS_TEST(tennis_copy_of_an_unsound_module_has_the_readers_error) {
  TennisBuilder builder = small_module();
  builder.nodes[3].arguments[1] = 2;
  OutputBuffer out;
  TennisWriter writer(out);
  expect_refused(read_module(writer, builder.build()), ErrorCode::malformed,
                 ErrorReason::contradiction, "node 3 \"conv\": arguments[1]");
}

SUSURRUS_TEST(tennis_writer_wants_its_parts_in_order) {
  const auto refused = [](const char* part, const Status& status) {
    expect_refused(status, ErrorCode::wrong_state, ErrorReason::state, part);
  };
  OutputBuffer out;
  TennisWriter writer(out);
  const uint32_t index[] = {0};
  refused("module", writer.on_module(index, index, 1));
  refused("end", writer.finish());
  ASSERT_TRUE(writer.on_header({}).has_value());
  refused("header", writer.on_header({}));
  refused("node", writer.on_node(1));
  ASSERT_TRUE(writer.on_module(index, index, 1).has_value());
  refused("parameter", writer.on_parameter("a", 1));
  refused("end", writer.finish());
  ASSERT_TRUE(writer.on_node(3).has_value());
  refused("node", writer.on_node(3));
  refused("tensor", writer.on_tensor(tensor_of(TennisDtype::i8, {2})));
  ASSERT_TRUE(writer.on_parameter("a", 1).has_value());
  refused("parameter", writer.on_parameter("b", 1));
  refused("arguments", writer.on_node_end({}));
  expect_refused(writer.on_tensor(tensor_of(TennisDtype::i8, {uint64_t{1} << 31})),
                 ErrorCode::invalid_argument, ErrorReason::bad_shape, "tensor");
  ASSERT_TRUE(writer.on_tensor(tensor_of(TennisDtype::i8, {2})).has_value());
  refused("tensor", writer.on_tensor(tensor_of(TennisDtype::i8, {2})));
  refused("parameter", writer.on_parameter("b", 1));
  const uint8_t bytes[3] = {};
  expect_refused(writer.on_tensor_bytes(bytes), ErrorCode::invalid_argument,
                 ErrorReason::size_mismatch, "tensor");
  ASSERT_TRUE(writer.on_tensor_bytes(ByteSpan(bytes).first(1)).has_value());
  refused("arguments", writer.on_node_end({}));
  ASSERT_TRUE(writer.on_tensor_bytes(ByteSpan(bytes).first(1)).has_value());
  refused("arguments", writer.on_node_end({}));
  ASSERT_TRUE(write_text(writer, "#op", "<param>").has_value());
  refused("arguments", writer.on_node_end({}));
  ASSERT_TRUE(write_text(writer, "#name", "x").has_value());
  refused("parameter", writer.on_parameter("b", 1));
  refused("end", writer.finish());
  ASSERT_TRUE(writer.on_node_end({}).has_value());
  refused("node", writer.on_node(3));
  EXPECT_TRUE(writer.finish().has_value());
  refused("end", writer.finish());
}

SUSURRUS_TEST(tennis_writer_stops_with_its_sink) {
  OutputBuffer whole;
  TennisWriter counting(whole);
  ASSERT_TRUE(write_small(counting, {0}, 0).has_value());
  for (uint64_t room = 0; room < counting.byte_count(); ++room) {
    FullDisk disk(room);
    TennisWriter writer(disk);
    expect_refused(write_small(writer, {0}, 0), ErrorCode::source_failed, ErrorReason::source,
                   "disk");
    EXPECT_FALSE(writer.finish().has_value());
  }
  FullDisk disk(counting.byte_count());
  TennisWriter writer(disk);
  EXPECT_TRUE(write_small(writer, {0}, 0).has_value());
}

}  // namespace susurrus::testing::tennis_writer_test
