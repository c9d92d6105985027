#include "container/ctranslate2/ctranslate2_reader.h"

#include "container/checkpoint_pieces.h"
#include "container/ctranslate2_builder.h"

namespace susurrus::testing::ctranslate2_reader_test {
namespace {

void expect_malformed(const Edit<CTranslate2File>& edit, ErrorReason reason, uint64_t offset,
                      std::string_view subject, ErrorCode code = ErrorCode::malformed) {
  CTranslate2File file;
  EXPECT_TRUE(read_checkpoint(file.build()).has_value());
  edit(file);
  expect_read_error(file.build(), code, reason, offset, subject);
}

const CheckpointTensor* find(const Checkpoint& checkpoint, std::string_view name) {
  for (const CheckpointTensor& tensor : checkpoint.tensors) {
    if (tensor.info.name == name) return &tensor;
  }
  return nullptr;
}

}  // namespace

SUSURRUS_TEST(ctranslate2_reader_names_and_divides_variables) {
  const CTranslate2File made;
  const Bytes file = made.build();
  for (size_t piece : {0, 1, 3, 100}) {
    for (bool skips : {false, true}) {
      const auto found = read_checkpoint(file, piece, skips);
      ASSERT_TRUE(found.has_value());
      WhisperDimensions wanted;
      wanted.n_vocab = 2;
      wanted.n_audio_ctx = 6;
      wanted.n_text_ctx = 5;
      wanted.n_mels = 80;
      wanted.n_audio_layer = 2;
      wanted.n_text_layer = 1;
      wanted.n_audio_head = 1;
      wanted.n_text_head = 2;
      wanted.n_audio_state = wanted.n_text_state = 4;
      EXPECT_TRUE(found->dimensions == wanted);
      // Two halves of one matrix, three thirds of another; the key has no bias.
      EXPECT_EQ(found->tensors.size(), 13u);
      const CheckpointTensor* value = find(*found, "decoder.blocks.0.cross_attn.value.weight");
      ASSERT_TRUE(value != nullptr);
      EXPECT_TRUE(value->info.dtype == Dtype::f16);
      EXPECT_TRUE(value->info.shape == Shape({4, 4}));
      EXPECT_EQ(value->info.file_offset, made.data_offset(3) + 32);
      EXPECT_EQ(value->info.stored_byte_count, 32u);
      EXPECT_TRUE(find(*found, "decoder.blocks.0.attn.key.bias") == nullptr);
      const CheckpointTensor* bias = find(*found, "decoder.blocks.0.attn.value.bias");
      ASSERT_TRUE(bias != nullptr);
      EXPECT_EQ(bias->info.file_offset, made.data_offset(4) + 16);
      const CheckpointTensor* key = find(*found, "decoder.blocks.0.attn.key.weight");
      ASSERT_TRUE(key != nullptr);
      EXPECT_TRUE(key->info.dtype == Dtype::f32);
      EXPECT_EQ(key->info.stored_byte_count, 16u);
      EXPECT_EQ(key->info.file_offset, made.data_offset(5) + 16);
      EXPECT_TRUE(key->row_divisors == std::vector<float>({5, 6, 7, 8}));
      EXPECT_TRUE(find(*found, "decoder.token_embedding.weight")->row_divisors ==
                  std::vector<float>({2, 4}));
      EXPECT_TRUE(find(*found, "encoder.blocks.1.mlp.0.bias") != nullptr);
    }
  }
}

SUSURRUS_TEST(ctranslate2_reader_refuses_other_versions_and_models) {
  using enum ErrorReason;
  for (uint32_t other : {2u, 3u, 5u, 7u}) {
    expect_malformed([&](CTranslate2File& file) { file.version = other; }, version, 0, "version",
                     ErrorCode::unsupported_version);
  }
  expect_malformed([](CTranslate2File& file) { file.revision = 2; }, version, 18, "revision",
                   ErrorCode::unsupported_version);
  expect_malformed([](CTranslate2File& file) { file.variables[0].data[0] = 0; }, unsupported,
                   CTranslate2File().data_offset(0), "decoder/activation",
                   ErrorCode::unsupported_feature);
  expect_malformed([](CTranslate2File& file) { file.variables[10].data[0] = 1; }, unsupported,
                   CTranslate2File().data_offset(10), "decoder/scale_embeddings",
                   ErrorCode::unsupported_feature);
  expect_malformed([](CTranslate2File& file) { file.variables[8].data[1] = 0x80; }, bad_metadata,
                   CTranslate2File().data_offset(8), "decoder/num_heads");
}

SUSURRUS_TEST(ctranslate2_reader_refuses_bad_variables) {
  using enum ErrorReason;
  const CTranslate2File sound;
  const std::string cross = "decoder/layer_0/attention/linear_1/weight";
  Bytes many = sound.build();
  many.resize(11 * 70000);
  store_le<uint32_t>(many.data() + 22, 65537);
  expect_read_error(many, ErrorCode::limit_exceeded, limit, 22, "variable count");
  expect_malformed([](CTranslate2File& file) { file.variable_count = 1 << 30; }, bad_index, 22,
                   "variable count");
  expect_malformed([](CTranslate2File& file) { file.variables[3].name.clear(); }, bad_name,
                   sound.offset(3), "variable name");
  expect_malformed([](CTranslate2File& file) { file.variables[3].name[7] = '\0'; }, bad_name,
                   sound.offset(3) + 2,
                   std::string("decoder\0layer_0/attention/linear_1/weight", cross.size()));
  expect_malformed([](CTranslate2File& file) { file.variables[3].name[8] = 'L'; }, bad_name,
                   sound.data_offset(3), "decoder/Layer_0/attention/linear_1/weight");
  expect_malformed([&](CTranslate2File& file) { file.variables[3].dims.assign(9, 1); }, bad_shape,
                   sound.rank_offset(3), cross);
  expect_malformed([](CTranslate2File& file) { file.variables[3].dims.assign(4, 0x80000000); },
                   bad_shape, sound.rank_offset(3) + 1, cross);
  expect_malformed([](CTranslate2File& file) { file.variables[3].type = 6; }, unsupported_dtype,
                   sound.data_offset(3) - 5, cross, ErrorCode::unsupported_feature);
  expect_malformed([](CTranslate2File& file) { file.variables[3].type = 2; }, unsupported_dtype,
                   sound.data_offset(3), cross, ErrorCode::unsupported_feature);
  expect_malformed([](CTranslate2File& file) { file.variables[3].byte_count = 63; }, size_mismatch,
                   sound.data_offset(3) - 4, cross);
  expect_malformed(
      [](CTranslate2File& file) {
        file.variables[4].name = file.variables[3].name;
        file.variables[4].dims = {6, 2};
      },
      duplicate, sound.data_offset(4) - 3 + 4, cross);
  expect_malformed([](CTranslate2File& file) { file.variables[4].dims = {2, 6}; }, model,
                   sound.data_offset(4) + 4, "decoder/layer_0/self_attention/linear_0/bias",
                   ErrorCode::shape_mismatch);
  expect_malformed([](CTranslate2File& file) { file.variables.erase(file.variables.begin() + 7); },
                   model, kNoOffset, "decoder.ln.weight", ErrorCode::missing_tensor);
}

SUSURRUS_TEST(ctranslate2_reader_refuses_bad_scales) {
  using enum ErrorReason;
  const CTranslate2File sound;
  const std::string name = "decoder/embeddings/weight_scale";
  for (float bad : {0.0f, -1.0f, INFINITY, NAN}) {
    expect_malformed([&](CTranslate2File& file) { file.variables[2] = scales(name, {2, bad}); },
                     bad_scale, sound.data_offset(2) + 4, name);
  }
  expect_malformed([&](CTranslate2File& file) { file.variables[2] = scales(name, {1, 2, 3}); },
                   model, sound.data_offset(2), name, ErrorCode::shape_mismatch);
  expect_malformed([](CTranslate2File& file) { file.variables.erase(file.variables.begin() + 2); },
                   model, kNoOffset, name, ErrorCode::missing_tensor);
}

SUSURRUS_TEST(ctranslate2_reader_refuses_bad_ends) {
  using enum ErrorReason;
  const CTranslate2File sound;
  const Bytes file = sound.build();
  const uint64_t aliases = sound.offset(sound.variables.size());
  expect_malformed([&](CTranslate2File& made) { made.tail = {0}; }, trailing_data, file.size(),
                   "file");
  expect_malformed([&](CTranslate2File& made) { made.alias_count = 1 << 20; }, bad_index, aliases,
                   "alias count");
  Bytes unterminated = file;
  unterminated.back() = 'x';
  expect_read_error(unterminated, ErrorCode::malformed, bad_name, file.size() - 26, "alias");
  Bytes cut(file.begin(), file.end() - 1);
  expect_read_error(cut, ErrorCode::truncated_input, truncated, file.size() - 26, "alias");
  cut.resize(aliases + 2);
  expect_read_error(cut, ErrorCode::truncated_input, truncated, aliases, "alias count");
  cut.resize(sound.data_offset(14) + 3);
  expect_read_error(cut, ErrorCode::truncated_input, truncated, sound.data_offset(14),
                    "encoder/position_encodings/encodings");
  cut.resize(sound.data_offset(13) + 1);
  expect_read_error(cut, ErrorCode::truncated_input, truncated, sound.data_offset(13),
                    "encoder/num_heads");
}

SUSURRUS_TEST(ctranslate2_reader_is_safe_from_damaged_files) {
  expect_safe_when_damaged(CTranslate2File().build());
}

}  // namespace susurrus::testing::ctranslate2_reader_test
