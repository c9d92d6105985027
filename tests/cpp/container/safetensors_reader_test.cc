#include "container/safetensors/safetensors_reader.h"

#include "container/checkpoint_pieces.h"

namespace susurrus::testing::safetensors_reader_test {
namespace {

Bytes file_of(std::string_view json, size_t data_byte_count) {
  Bytes file;
  append_number<uint64_t>(file, json.size());
  append_text(file, json);
  file.resize(file.size() + data_byte_count);
  return file;
}

constexpr std::string_view kJson =
    R"({"decoder.ln.bias":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";

}  // namespace

SUSURRUS_TEST(safetensors_reader_in_any_pieces) {
  const Bytes file = file_of(kJson, 8);
  for (size_t piece : {0, 1, 5}) {
    const auto found = read_checkpoint(file, piece);
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(std::string_view(found->format), "SafeTensors");
    EXPECT_FALSE(found->dimensions.has_value());
    ASSERT_TRUE(found->tensors.size() == 1);
    EXPECT_EQ(found->tensors[0].info.name, "decoder.ln.bias");
    EXPECT_EQ(found->tensors[0].info.file_offset, file.size() - 8);
  }
}

SUSURRUS_TEST(safetensors_reader_says_where_a_file_is_cut) {
  Bytes file = file_of(kJson, 8);
  EXPECT_TRUE(read_checkpoint(file).has_value());
  file.pop_back();
  expect_read_error(file, ErrorCode::malformed, ErrorReason::bounds, 8, "decoder.ln.bias");
  file.resize(40);
  expect_read_error(file, ErrorCode::truncated_input, ErrorReason::truncated, 0, "header length");
  file.resize(15);
  expect_read_error(file, ErrorCode::truncated_input, ErrorReason::truncated, 15, "file");
}

SUSURRUS_TEST(safetensors_reader_refuses_quantised_mlx_weights) {
  const std::string name = "encoder.blocks.0.attn.query.scales";
  const std::string sound = "{\"" + name.substr(0, name.size() - 1) +
                            R"(":{"dtype":"F16","shape":[1],"data_offsets":[0,2]}})";
  EXPECT_TRUE(read_checkpoint(file_of(sound, 2)).has_value());
  const std::string json = "{\"" + name + R"(":{"dtype":"F16","shape":[1],"data_offsets":[0,2]}})";
  expect_read_error(file_of(json, 2), ErrorCode::unsupported_feature,
                    ErrorReason::unsupported_dtype, 8, name);
}

}  // namespace susurrus::testing::safetensors_reader_test
