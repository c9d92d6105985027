#include "container/apr2/apr2_writer.h"

#include "container/apr2/apr2_flags.h"
#include "container/recording_sink.h"
#include "harness.h"
#include "stream/output_buffer.h"

namespace susurrus::testing {
namespace {

TensorInfo planned(std::string name, Dtype dtype, Shape shape, uint64_t stored,
                   bool is_compressed) {
  TensorInfo tensor;
  tensor.name = std::move(name);
  tensor.dtype = dtype;
  tensor.shape = shape;
  tensor.stored_byte_count = stored;
  tensor.is_compressed = is_compressed;
  return tensor;
}

Bytes taken(const OutputBuffer& output) { return {output.bytes().begin(), output.bytes().end()}; }

}  // namespace

SUSURRUS_TEST(apr2_writer_makes_golden_g2) {
  const Bytes data = {0, 0, 0, 0, 0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0, 0, 0, 0, 0x3f};
  auto writer = Apr2Writer::plan(tiny_metadata(),
                                 {planned("encoder.conv1.bias", Dtype::f32, {4}, 16, false)}, 0);
  ASSERT_TRUE(writer.has_value());
  OutputBuffer output;
  ASSERT_TRUE((*writer)->begin(tiny_metadata(), output).has_value());
  ASSERT_TRUE((*writer)->write(data, output).has_value());
  ASSERT_TRUE((*writer)->finish(output).has_value());
  EXPECT_EQ((*writer)->file_byte_count(), 416u);

  // apr.md §11, G2, as printed there.
  Bytes golden = {0x41, 0x50, 0x52, 0x32, 2,    0, 0, 0, 2,    0, 0, 0, 0x20, 0, 0, 0,
                  0xea, 0,    0,    0,    0x0a, 1, 0, 0, 0x42, 0, 0, 0, 0x80, 1, 0, 0};
  append_text(golden, tiny_metadata());
  for (uint8_t byte : {1, 0, 0, 0, 0, 0, 0, 0, 0x12, 0}) golden.push_back(byte);
  append_text(golden, "encoder.conv1.bias");
  for (uint8_t byte : {0, 1, 4}) golden.push_back(byte);
  golden.resize(golden.size() + 7 + 8);
  golden.push_back(16);
  golden.resize(golden.size() + 7 + 8 + 4 + 52);
  golden.insert(golden.end(), data.begin(), data.end());
  for (uint8_t byte : {0x89, 0xbe, 0x2c, 0x58, 0x32, 0x52, 0x50, 0x41, 0xa0, 1, 0, 0, 0, 0, 0, 0}) {
    golden.push_back(byte);
  }
  EXPECT_TRUE(taken(output) == golden);
}

SUSURRUS_TEST(apr2_writer_and_reader_agree) {
  const Bytes zeros(1000, 0);
  const Bytes packed = lz4_stream(zeros);
  const Bytes blocks(68, 3);
  std::vector<TensorInfo> tensors = {planned("a", Dtype::u8, {1000}, packed.size(), true),
                                     planned("empty", Dtype::f16, {0, 3}, 0, false),
                                     planned("b", Dtype::q8_0, {2, 32}, 68, false)};
  auto writer = Apr2Writer::plan(tiny_metadata(), tensors, apr2_flags::kStreaming);
  ASSERT_TRUE(writer.has_value());
  OutputBuffer output;
  ASSERT_TRUE((*writer)->begin(tiny_metadata(), output).has_value());
  for (uint8_t byte : packed) ASSERT_TRUE((*writer)->write(ByteSpan(&byte, 1), output).has_value());
  EXPECT_EQ((*writer)->finish(output).error().code, ErrorCode::wrong_state);
  ASSERT_TRUE((*writer)->write(blocks, output).has_value());
  EXPECT_EQ((*writer)->write(blocks, output).error().code, ErrorCode::invalid_argument);
  ASSERT_TRUE((*writer)->finish(output).has_value());
  EXPECT_EQ(output.bytes().size(), (*writer)->file_byte_count());

  RecordingSink sink;
  ASSERT_TRUE(read_file(sink, taken(output)).has_value());
  EXPECT_EQ(sink.flags, 0xC3u);
  EXPECT_EQ(sink.warnings.size(), 0u);
  EXPECT_TRUE(sink.tensors["a"] == zeros);
  EXPECT_TRUE(sink.tensors["b"] == blocks);
  for (const TensorInfo& info : sink.infos) EXPECT_EQ(info.file_offset % 64, 0u);
}

SUSURRUS_TEST(apr2_writer_refuses_what_a_reader_would) {
  auto refused = [](TensorInfo tensor) { return !Apr2Writer::plan("{}", {tensor}, 0).has_value(); };
  EXPECT_TRUE(refused(planned("", Dtype::u8, {1}, 1, false)));
  EXPECT_TRUE(refused(planned(std::string(1025, 'a'), Dtype::u8, {1}, 1, false)));
  EXPECT_TRUE(refused(planned("a", Dtype::u8, {}, 1, false)));
  EXPECT_TRUE(refused(planned("a", Dtype::u8, {2}, 1, false)));
  EXPECT_TRUE(refused(planned("a", Dtype::q8_0, {33}, 34, false)));
  EXPECT_FALSE(Apr2Writer::plan("", {}, 0).has_value());
}

}  // namespace susurrus::testing
