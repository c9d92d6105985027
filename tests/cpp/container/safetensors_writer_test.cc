#include "container/safetensors/safetensors_writer.h"

#include "container/checkpoint_pieces.h"
#include "container/tensor_of.h"
#include "stream/output_buffer.h"

namespace susurrus::testing::safetensors_writer_test {
namespace {

ErrorCode plan_error(std::vector<TensorInfo> tensors) {
  auto writer = SafetensorsWriter::plan(std::move(tensors));
  return writer ? ErrorCode::ok : writer.error().code;
}

SUSURRUS_TEST(safetensors_writer_writes_the_layout) {
  auto writer =
      SafetensorsWriter::plan({tensor_of("b", Dtype::f32, {1}), tensor_of("a", Dtype::f16, {3, 1}),
                               tensor_of("c", Dtype::bf16, {2})});
  ASSERT_TRUE(writer.has_value());
  OutputBuffer out;
  ASSERT_TRUE((*writer)->begin(out).has_value());
  ASSERT_TRUE((*writer)->write(Bytes{1, 2}, out).has_value());
  ASSERT_TRUE((*writer)->write(Bytes{3, 4}, out).has_value());
  ASSERT_TRUE((*writer)->finish_tensor(out).has_value());
  ASSERT_TRUE((*writer)->write(Bytes{5, 6, 7, 8, 9, 10}, out).has_value());
  ASSERT_TRUE((*writer)->finish_tensor(out).has_value());
  ASSERT_TRUE((*writer)->write(Bytes{11, 12, 13, 14}, out).has_value());
  ASSERT_TRUE((*writer)->finish_tensor(out).has_value());
  ASSERT_TRUE((*writer)->finish(out).has_value());

  std::string json =
      "{\"__metadata__\":{\"format\":\"pt\"},"
      "\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},"
      "\"a\":{\"dtype\":\"F16\",\"shape\":[3,1],\"data_offsets\":[4,10]},"
      "\"c\":{\"dtype\":\"BF16\",\"shape\":[2],\"data_offsets\":[10,14]}}";
  while (json.size() % 8 != 0) json += ' ';
  Bytes expected;
  append_number<uint64_t>(expected, json.size());
  append_text(expected, json);
  for (uint8_t i = 1; i <= 14; ++i) expected.push_back(i);
  const Bytes written(out.bytes().begin(), out.bytes().end());
  EXPECT_TRUE(written == expected);
  const auto found = read_checkpoint(written);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->tensors.size(), 3u);
}

SUSURRUS_TEST(safetensors_writer_refuses_what_its_format_cannot_hold) {
  EXPECT_TRUE(plan_error({tensor_of("a", Dtype::f32, {4})}) == ErrorCode::ok);
  const ErrorCode wrong = ErrorCode::invalid_argument;
  EXPECT_TRUE(plan_error({}) == wrong);
  EXPECT_TRUE(plan_error({tensor_of("a", Dtype::q8_0, {32})}) == wrong);
  EXPECT_TRUE(plan_error({tensor_of("a", Dtype::i8, {32})}) == wrong);
  EXPECT_TRUE(plan_error({tensor_of("a", Dtype::f16, {3}), tensor_of("b", Dtype::f32, {1})}) ==
              wrong);
  EXPECT_TRUE(plan_error({tensor_of("a", Dtype::f16, {2}), tensor_of("b", Dtype::f32, {1})}) ==
              ErrorCode::ok);
  TensorInfo cut = tensor_of("a", Dtype::f32, {4});
  cut.stored_byte_count = 15;
  EXPECT_TRUE(plan_error({cut}) == wrong);
  cut.stored_byte_count = 16;
  cut.is_compressed = true;
  EXPECT_TRUE(plan_error({cut}) == wrong);
}

SUSURRUS_TEST(raw_tensor_writers_count_bytes) {
  auto writer = SafetensorsWriter::plan({tensor_of("a", Dtype::f32, {2})});
  ASSERT_TRUE(writer.has_value());
  OutputBuffer out;
  ASSERT_TRUE((*writer)->begin(out).has_value());
  EXPECT_TRUE((*writer)->finish_tensor(out).error().code == ErrorCode::wrong_state);
  EXPECT_TRUE((*writer)->finish(out).error().code == ErrorCode::wrong_state);
  EXPECT_TRUE((*writer)->write(Bytes(9), out).error().code == ErrorCode::invalid_argument);
  EXPECT_TRUE((*writer)->write(Bytes(8), out).has_value());
  EXPECT_TRUE((*writer)->write(Bytes(1), out).error().code == ErrorCode::invalid_argument);
  EXPECT_TRUE((*writer)->finish_tensor(out).has_value());
  EXPECT_TRUE((*writer)->finish_tensor(out).error().code == ErrorCode::wrong_state);
  EXPECT_TRUE((*writer)->write(Bytes(1), out).error().code == ErrorCode::invalid_argument);
  EXPECT_TRUE((*writer)->finish(out).has_value());
}

}  // namespace
}  // namespace susurrus::testing::safetensors_writer_test
