#include "convert/tensor_decoder.h"

#include <cmath>

#include "container/apr2_builder.h"
#include "convert/quantize.h"
#include "convert/value_statistics.h"
#include "harness.h"

namespace susurrus::testing::tensor_decoder_test {
namespace {

class Recorder : public DecodedTensorSink {
 public:
  void on_stored(ByteSpan bytes) override {
    stored.insert(stored.end(), bytes.begin(), bytes.end());
  }
  void on_values(std::span<const float> more) override {
    values.insert(values.end(), more.begin(), more.end());
  }
  Bytes stored;
  std::vector<float> values;
};

/// Decodes with several piece sizes and expects one result.
Recorder decode(const CheckpointTensor& tensor, const Bytes& stored) {
  Recorder first;
  for (const size_t piece : {stored.size(), size_t{1}, size_t{7}, size_t{33}, size_t{5000}}) {
    Recorder recorder;
    TensorDecoder decoder(recorder);
    EXPECT_TRUE(decoder.start(tensor).has_value());
    for (size_t at = 0; at < stored.size(); at += piece) {
      const size_t count = std::min(piece, stored.size() - at);
      EXPECT_TRUE(decoder.push(ByteSpan(stored).subspan(at, count)).has_value());
    }
    EXPECT_TRUE(decoder.finish().has_value());
    if (piece == stored.size()) first = recorder;
    EXPECT_TRUE(recorder.values == first.values);
    EXPECT_TRUE(recorder.stored == first.stored);
  }
  return first;
}

std::vector<float> ramp(size_t count) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i % 97) / 16.0f - 3.0f;
  return values;
}

CheckpointTensor tensor_of(Dtype dtype, Shape shape) {
  CheckpointTensor tensor;
  tensor.info.name = "weights";
  tensor.info.dtype = dtype;
  tensor.info.shape = shape;
  tensor.info.raw_byte_count = tensor_byte_count(dtype, shape).value();
  tensor.info.stored_byte_count = tensor.info.raw_byte_count;
  return tensor;
}

}  // namespace

SUSURRUS_TEST(tensor_decoder_reads_every_weight_type) {
  constexpr size_t kCount = 3200;
  for (const Dtype dtype : {Dtype::f32, Dtype::f16, Dtype::bf16, Dtype::q8_0, Dtype::q4_0,
                            Dtype::q4_1, Dtype::q5_0, Dtype::q5_1}) {
    const CheckpointTensor tensor = tensor_of(dtype, {100, 32});
    Bytes stored(tensor.info.raw_byte_count);
    write_floats(dtype, ramp(kCount).data(), kCount, stored.data());
    std::vector<float> expected(kCount);
    read_floats(dtype, stored.data(), kCount, expected.data());
    const Recorder found = decode(tensor, stored);
    EXPECT_TRUE(found.values == expected);
    EXPECT_TRUE(found.stored == stored);
  }
}

SUSURRUS_TEST(tensor_decoder_reads_integers) {
  const Bytes stored = {0xFF, 0x7F, 0x00, 0x80};
  EXPECT_TRUE(decode(tensor_of(Dtype::i16, {2}), stored).values ==
              std::vector<float>({32767, -32768}));
  EXPECT_TRUE(decode(tensor_of(Dtype::u8, {4}), stored).values ==
              std::vector<float>({255, 127, 0, 128}));
  EXPECT_TRUE(decode(tensor_of(Dtype::i8, {4}), stored).values ==
              std::vector<float>({-1, 127, 0, -128}));
}

SUSURRUS_TEST(tensor_decoder_decompresses) {
  CheckpointTensor tensor = tensor_of(Dtype::q8_0, {1000, 64});
  Bytes raw(tensor.info.raw_byte_count);
  write_floats(Dtype::q8_0, ramp(64000).data(), 64000, raw.data());
  const Bytes stored = lz4_stream(raw);
  tensor.info.is_compressed = true;
  tensor.info.stored_byte_count = stored.size();
  const Recorder found = decode(tensor, stored);
  EXPECT_TRUE(found.stored == raw);
  std::vector<float> expected(64000);
  read_floats(Dtype::q8_0, raw.data(), expected.size(), expected.data());
  EXPECT_TRUE(found.values == expected);

  Bytes damaged = stored;
  damaged[4] ^= 0xFF;
  Recorder recorder;
  TensorDecoder decoder(recorder);
  EXPECT_TRUE(decoder.start(tensor).has_value());
  Status status = decoder.push(damaged);
  if (status) status = decoder.finish();
  ASSERT_FALSE(status.has_value());
  EXPECT_TRUE(status.error().reason == ErrorReason::decompress);
  EXPECT_EQ(status.error().subject.view(), "weights");
}

SUSURRUS_TEST(tensor_decoder_divides_rows) {
  CheckpointTensor tensor = tensor_of(Dtype::f32, {2, 3});
  tensor.info.stored_byte_count = 6;
  tensor.row_divisors = {2, 127};
  const Bytes stored = {1, 0xFF, 127, 127, 0x81, 0};
  const Recorder found = decode(tensor, stored);
  EXPECT_TRUE(found.values == std::vector<float>({0.5f, -0.5f, 63.5f, 1, -1, 0}));
  EXPECT_TRUE(found.stored == stored);
}

SUSURRUS_TEST(tensor_decoder_reads_plain_numbers_with_a_scale) {
  const auto values_of = [](std::string_view type, const Bytes& bytes, float scale, float offset) {
    Recorder recorder;
    TensorDecoder decoder(recorder);
    const TensorDecoder::Numbers numbers{"x", type, bytes.size(), scale, offset};
    EXPECT_TRUE(decoder.start(numbers).has_value());
    for (const uint8_t& byte : bytes) EXPECT_TRUE(decoder.push({&byte, 1}).has_value());
    EXPECT_TRUE(decoder.finish().has_value());
    return recorder.values;
  };
  Bytes doubles;
  append_number(doubles, 0.1);
  EXPECT_TRUE(values_of("fp64", doubles, 2, 1) == std::vector<float>({0.1f}));
  EXPECT_TRUE(values_of("i8", {5, 0xFD}, 0.5f, -3) == std::vector<float>({4, 0}));
  EXPECT_TRUE(values_of("bool", {0, 2}, 1, 0) == std::vector<float>({0, 1}));
  EXPECT_TRUE(values_of("u32", {1, 0, 0, 0x80}, 1, 0) == std::vector<float>({2147483649.0f}));
}

SUSURRUS_TEST(tensor_decoder_refuses_what_does_not_fit) {
  Recorder recorder;
  TensorDecoder decoder(recorder);
  const TensorDecoder::Numbers text{"name", "char8", 4};
  const Status no_numbers = decoder.start(text);
  ASSERT_FALSE(no_numbers.has_value());
  EXPECT_TRUE(no_numbers.error().reason == ErrorReason::unsupported_dtype);
  EXPECT_EQ(no_numbers.error().subject.view(), "name");

  const CheckpointTensor tensor = tensor_of(Dtype::f32, {2});
  ASSERT_TRUE(decoder.start(tensor).has_value());
  EXPECT_TRUE(decoder.push(Bytes(7, 0)).has_value());
  const Status cut = decoder.finish();
  ASSERT_FALSE(cut.has_value());
  EXPECT_TRUE(cut.error().code == ErrorCode::truncated_input);
  const Status long_one = decoder.push(Bytes(2, 0));
  ASSERT_FALSE(long_one.has_value());
  EXPECT_TRUE(long_one.error().code == ErrorCode::invalid_argument);
}

SUSURRUS_TEST(value_statistics_count_what_is_no_number) {
  const auto text_of = [](const std::vector<float>& values) {
    ValueStatistics statistics;
    for (const float& value : values) statistics.add({&value, 1});
    JsonWriter json;
    statistics.write(json);
    return json.text();
  };
  EXPECT_EQ(text_of({1, NAN, -3, INFINITY, 4, -INFINITY}),
            R"({"min":-3,"max":4,"mean":0.66666666666666663,"nan":1,"infinite":2})");
  EXPECT_EQ(text_of({NAN}), R"({"min":null,"max":null,"mean":null,"nan":1,"infinite":0})");
  EXPECT_EQ(text_of({}), R"({"min":null,"max":null,"mean":null,"nan":0,"infinite":0})");
}

}  // namespace susurrus::testing::tensor_decoder_test
