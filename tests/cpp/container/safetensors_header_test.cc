#include "container/safetensors/safetensors_header.h"

#include <string>

#include "harness.h"

namespace susurrus::testing::safetensors_header_test {
namespace {

std::string with_length(std::string_view json) {
  std::string header(8, '\0');
  store_le<uint64_t>(reinterpret_cast<uint8_t*>(header.data()), json.size());
  return header.append(json);
}

Result<std::vector<TensorInfo>> parse(std::string_view json, uint64_t data_byte_count) {
  return parse_safetensors_header(as_bytes(json), 8 + json.size() + data_byte_count);
}

void expect_refused(std::string_view json, uint64_t data_byte_count, ErrorCode code,
                    ErrorReason reason) {
  const auto result = parse(json, data_byte_count);
  if (result) {
    report_failure(__FILE__, __LINE__, "accepted: " + std::string(json));
    return;
  }
  EXPECT_EQ(result.error().code, code);
  EXPECT_EQ(error_reason_name(result.error().reason), error_reason_name(reason));
}

}  // namespace

SUSURRUS_TEST(safetensors_header_is_read) {
  const std::string json =
      R"({"__metadata__":{"format":"pt"},"b":{"dtype":"BF16","shape":[2,3],"data_offsets":[8,20]},)"
      R"("a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
      R"("scalar":{"dtype":"F16","shape":[],"data_offsets":[20,22]},)"
      R"("none":{"dtype":"F32","shape":[0,4],"data_offsets":[22,22]},)"
      R"("mask":{"dtype":"BOOL","shape":[5],"data_offsets":[22,27]}}   )";
  const auto tensors = parse(json, 27);
  ASSERT_TRUE(tensors.has_value());
  EXPECT_EQ(tensors->size(), 4u);  // the mask has no type of APR2's and is not needed
  EXPECT_EQ((*tensors)[0].name, "a");
  EXPECT_EQ((*tensors)[0].file_offset, 8 + json.size());
  EXPECT_EQ((*tensors)[1].name, "b");
  EXPECT_TRUE((*tensors)[1].dtype == Dtype::bf16);
  EXPECT_TRUE((*tensors)[1].shape == Shape({2, 3}));
  EXPECT_EQ((*tensors)[1].stored_byte_count, 12u);
}

SUSURRUS_TEST(safetensors_malformed) {
  const ErrorCode bad = ErrorCode::malformed;
  expect_refused("[]", 0, bad, ErrorReason::bad_metadata);
  expect_refused(" {}", 0, bad, ErrorReason::bad_metadata);
  expect_refused("{} x", 0, bad, ErrorReason::bad_metadata);
  expect_refused(R"({"a":1})", 0, bad, ErrorReason::bad_metadata);
  expect_refused(R"({"a":{"dtype":"F32","shape":[1]}})", 4, bad, ErrorReason::bad_metadata);
  expect_refused(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0]}})", 4, bad,
                 ErrorReason::bad_metadata);
  expect_refused(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4,4]}})", 4, bad,
                 ErrorReason::bad_metadata);
  expect_refused(
      R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
      8, bad, ErrorReason::duplicate);
  expect_refused(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,5]}})", 5, bad,
                 ErrorReason::size_mismatch);
  expect_refused(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}})", 4, bad,
                 ErrorReason::bounds);
  expect_refused(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 4, bad,
                 ErrorReason::bounds);
  expect_refused(R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", 4, bad,
                 ErrorReason::bad_shape);
  expect_refused(R"({"a":{"dtype":"F32","shape":[1,1,1,1,1,1,1,1,1],"data_offsets":[0,4]}})", 4,
                 bad, ErrorReason::bad_shape);
  expect_refused(R"({"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,4]}})", 4,
                 bad, ErrorReason::bad_shape);
  expect_refused(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})", 8, bad,
                 ErrorReason::layout);
  expect_refused(
      R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
      8, bad, ErrorReason::layout);
  expect_refused(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", 5, bad,
                 ErrorReason::trailing_data);
  expect_refused(R"({"a":{"dtype":"F99","shape":[1],"data_offsets":[0,4]}})", 4,
                 ErrorCode::unsupported_feature, ErrorReason::unsupported_dtype);
  expect_refused(R"({"model.encoder.conv1.bias":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}})",
                 8, ErrorCode::unsupported_feature, ErrorReason::unsupported_dtype);
}

SUSURRUS_TEST(safetensors_header_length) {
  const std::string header = with_length("{}");
  EXPECT_EQ(*safetensors_header_byte_count(as_bytes(header), 10), 10u);
  EXPECT_EQ(safetensors_header_byte_count(as_bytes(header).first(7), 10).error().code,
            ErrorCode::truncated_input);
  EXPECT_EQ(safetensors_header_byte_count(as_bytes(header), 9).error().code,
            ErrorCode::truncated_input);
  std::string huge(8, '\xFF');
  EXPECT_EQ(safetensors_header_byte_count(as_bytes(huge), 1 << 20).error().code,
            ErrorCode::limit_exceeded);
}

}  // namespace susurrus::testing::safetensors_header_test
