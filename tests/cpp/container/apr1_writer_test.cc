#include "container/apr1/apr1_writer.h"

#include "container/apr1_builder.h"
#include "container/recording_sink.h"
#include "container/tensor_of.h"
#include "harness.h"
#include "stream/output_buffer.h"

namespace susurrus::testing::apr1_writer_test {
namespace {

const WhisperDimensions kTiny{51865, 1500, 448, 80, 4, 4, 6, 6, 384, 384};

VocabularyBytes three_tokens() { return {{'a', 'b', 'a', 'b'}, {1, 2, 4}}; }

Bytes written(Apr1Writer& writer, const std::vector<Bytes>& data) {
  OutputBuffer out;
  EXPECT_TRUE(writer.begin(out).has_value());
  for (const Bytes& bytes : data) EXPECT_TRUE(writer.write(bytes, out).has_value());
  EXPECT_TRUE(writer.finish(out).has_value());
  EXPECT_EQ(out.bytes().size(), writer.file_byte_count());
  return Bytes(out.bytes().begin(), out.bytes().end());
}

ErrorCode plan_error(std::vector<TensorInfo> tensors) {
  auto writer = Apr1Writer::plan(kTiny, std::move(tensors), {}, {});
  return writer ? ErrorCode::ok : writer.error().code;
}

SUSURRUS_TEST(apr1_writer_writes_what_the_builder_builds) {
  Apr1Builder builder;
  builder.quantization = 2;
  builder.tensors = {{"a", {4}, {1, 2, 3, 255}, 0.5f}, {"b.weight", {2, 2}, {5, 6, 7, 8}, 0.5f}};
  builder.vocabulary = apr1_vocabulary({"a", "b", "ab"});
  const std::vector<float> weights(size_t{80} * 201, 0.25f);
  builder.filterbank = apr1_filterbank(80, 201, weights);
  auto writer = Apr1Writer::plan(
      kTiny, {tensor_of("a", Dtype::i8, {4}), tensor_of("b.weight", Dtype::i8, {2, 2})},
      three_tokens(), weights);
  ASSERT_TRUE(writer.has_value());
  EXPECT_TRUE(written(**writer, {{1, 2, 3, 255}, {5}, {6, 7, 8}}) == builder.build());
}

SUSURRUS_TEST(apr1_writer_refuses_what_its_format_cannot_hold) {
  EXPECT_TRUE(plan_error({tensor_of("a", Dtype::f32, {4})}) == ErrorCode::ok);
  const ErrorCode wrong = ErrorCode::invalid_argument;
  EXPECT_TRUE(plan_error({}) == wrong);
  EXPECT_TRUE(plan_error({tensor_of(std::string(47, 'n'), Dtype::f32, {4})}) == ErrorCode::ok);
  EXPECT_TRUE(plan_error({tensor_of(std::string(48, 'n'), Dtype::f32, {4})}) == wrong);
  EXPECT_TRUE(plan_error({tensor_of("a", Dtype::f32, {1, 1, 1, 1, 4})}) == wrong);
  EXPECT_TRUE(plan_error({tensor_of("a", Dtype::f32, {uint64_t{1} << 32, 0})}) == wrong);
  EXPECT_TRUE(plan_error({tensor_of("a", Dtype::bf16, {4})}) == wrong);
  EXPECT_TRUE(plan_error({tensor_of("a", Dtype::f32, {4}), tensor_of("b", Dtype::f16, {4})}) ==
              wrong);
  std::vector<TensorInfo> many;
  for (int i = 0; i < 65536; ++i)
    many.push_back(tensor_of("t" + std::to_string(i), Dtype::f16, {1}));
  EXPECT_TRUE(plan_error(std::move(many)) == wrong);
  auto long_token = Apr1Writer::plan(kTiny, {tensor_of("a", Dtype::f32, {4})},
                                     VocabularyBytes(Bytes(65536, 'x'), {65536}), {});
  EXPECT_FALSE(long_token.has_value());
}

SUSURRUS_TEST(apr1_writer_counts_bytes) {
  auto writer = Apr1Writer::plan(kTiny, {tensor_of("a", Dtype::f32, {2})}, {}, {});
  ASSERT_TRUE(writer.has_value());
  OutputBuffer out;
  ASSERT_TRUE((*writer)->begin(out).has_value());
  EXPECT_TRUE((*writer)->finish(out).error().code == ErrorCode::wrong_state);
  EXPECT_TRUE((*writer)->write(Bytes(9), out).error().code == ErrorCode::invalid_argument);
  EXPECT_TRUE((*writer)->write(Bytes(8), out).has_value());
  EXPECT_TRUE((*writer)->write(Bytes(1), out).error().code == ErrorCode::invalid_argument);
}

SUSURRUS_TEST(apr1_writer_names_official_models) {
  WhisperDimensions d = kTiny;
  EXPECT_EQ(apr1_model_type(d), 0);
  d.n_vocab = 51864;
  EXPECT_EQ(apr1_model_type(d), 1);
  d.n_audio_layer = 24;
  EXPECT_EQ(apr1_model_type(d), 7);
  d.n_audio_layer = d.n_text_layer = 32;
  d.n_vocab = 51865;
  EXPECT_EQ(apr1_model_type(d), 8);
  d.n_mels = 128;
  EXPECT_EQ(apr1_model_type(d), 11);
  d.n_text_layer = 4;
  EXPECT_EQ(apr1_model_type(d), 12);
}

}  // namespace
}  // namespace susurrus::testing::apr1_writer_test
