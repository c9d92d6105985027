#include "container/apr2/apr2_writer.h"

#include <zlib.h>

#include "container/apr2/apr2_flags.h"
#include "container/recording_sink.h"
#include "harness.h"
#include "stream/output_buffer.h"

namespace susurrus::testing::apr2_writer_test {
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
                                 {planned("encoder.conv1.bias", Dtype::f32, {4}, 16, false)});
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
  Apr2WriterOptions options;
  options.is_streaming = true;
  auto writer = Apr2Writer::plan(tiny_metadata(), tensors, options);
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
  auto refused = [](TensorInfo tensor) { return !Apr2Writer::plan("{}", {tensor}).has_value(); };
  EXPECT_TRUE(refused(planned("", Dtype::u8, {1}, 1, false)));
  EXPECT_TRUE(refused(planned(std::string(1025, 'a'), Dtype::u8, {1}, 1, false)));
  EXPECT_TRUE(refused(planned("a", Dtype::u8, {}, 1, false)));
  EXPECT_TRUE(refused(planned("a", Dtype::u8, {2}, 1, false)));
  EXPECT_TRUE(refused(planned("a", Dtype::q8_0, {33}, 34, false)));
  EXPECT_FALSE(Apr2Writer::plan("", {}).has_value());
  Apr2WriterOptions options;
  options.alignment = 16;
  EXPECT_EQ(Apr2Writer::plan("{}", {}, options).error().subject.view(), "alignment");
}

namespace {

/// What a reader finds in a file that the writer made of these tensors, 5 bytes a value of every type.
RecordingSink written(std::vector<TensorInfo> tensors, const Apr2WriterOptions& options) {
  RecordingSink sink;
  auto writer = Apr2Writer::plan(tiny_metadata(), tensors, options);
  if (!writer) return sink;
  OutputBuffer output;
  (void)(*writer)->begin(tiny_metadata(), output).has_value();
  for (size_t i = 0; i < tensors.size(); ++i) {
    const Bytes stored(tensors[i].stored_byte_count, static_cast<uint8_t>(i + 1));
    (void)(*writer)->write(stored, output).has_value();
  }
  EXPECT_TRUE((*writer)->finish(output).has_value());
  EXPECT_EQ((*writer)->crc32(),
            crc32(0, output.bytes().data(), static_cast<uInt>(output.bytes().size())));
  EXPECT_TRUE(read_file(sink, taken(output)).has_value());
  EXPECT_EQ(sink.warnings.size(), 0u);
  return sink;
}

}  // namespace

SUSURRUS_TEST(apr2_writer_writes_every_dtype_at_both_alignments) {
  constexpr Dtype kDtypes[] = {Dtype::f32,  Dtype::f16,  Dtype::bf16, Dtype::i8,   Dtype::i16,
                               Dtype::i32,  Dtype::i64,  Dtype::u8,   Dtype::q8_0, Dtype::q4_0,
                               Dtype::q4_1, Dtype::q5_0, Dtype::q5_1};
  std::vector<TensorInfo> tensors;
  for (const Dtype dtype : kDtypes) {
    const Shape shape = {3, 32};
    tensors.push_back(planned(std::string(dtype_traits(dtype).name), dtype, shape,
                              *tensor_byte_count(dtype, shape), false));
  }
  for (const uint32_t alignment : {64u, 32u}) {
    Apr2WriterOptions options;
    options.alignment = alignment;
    const RecordingSink sink = written(tensors, options);
    EXPECT_EQ(sink.flags, (alignment == 64 ? apr2_flags::kAligned64 : apr2_flags::kAligned32) |
                              apr2_flags::kQuantized);
    ASSERT_TRUE(sink.infos.size() == tensors.size());
    bool uses_the_smaller = false;
    for (size_t i = 0; i < sink.infos.size(); ++i) {
      EXPECT_EQ(sink.infos[i].name, tensors[i].name);
      EXPECT_TRUE(sink.infos[i].dtype == tensors[i].dtype);
      EXPECT_EQ(sink.infos[i].file_offset % alignment, 0u);
      uses_the_smaller |= sink.infos[i].file_offset % 64 != 0;
      EXPECT_TRUE(sink.tensors.at(tensors[i].name) ==
                  Bytes(tensors[i].stored_byte_count, static_cast<uint8_t>(i + 1)));
    }
    EXPECT_EQ(uses_the_smaller, alignment == 32);
  }
}

SUSURRUS_TEST(apr2_writer_sets_its_flags_truthfully) {
  const auto flags = [](std::vector<TensorInfo> tensors, bool is_streaming, bool is_shard) {
    Apr2WriterOptions options;
    options.is_streaming = is_streaming;
    options.is_shard = is_shard;
    return written(std::move(tensors), options).flags;
  };
  const TensorInfo encoder = planned("encoder.a", Dtype::i8, {4}, 4, false);
  const TensorInfo decoder = planned("decoder.a", Dtype::u8, {4}, 4, false);
  const uint32_t aligned = apr2_flags::kAligned64;
  EXPECT_EQ(flags({}, false, false), aligned);
  EXPECT_EQ(flags({encoder, decoder}, true, false), aligned | apr2_flags::kStreaming);
  EXPECT_EQ(flags({decoder, encoder}, true, false), aligned);
  EXPECT_EQ(flags({encoder}, false, true), aligned | apr2_flags::kSharded);
}

}  // namespace susurrus::testing::apr2_writer_test
