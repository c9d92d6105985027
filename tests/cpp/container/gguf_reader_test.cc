#include "container/gguf/gguf_reader.h"

#include "container/checkpoint_pieces.h"
#include "container/gguf_builder.h"

namespace susurrus::testing::gguf_reader_test {
namespace {

void expect_malformed(const Edit<GgufFile>& edit, ErrorReason reason, uint64_t offset,
                      std::string_view subject, ErrorCode code = ErrorCode::malformed) {
  GgufFile file;
  EXPECT_TRUE(read_checkpoint(file.build()).has_value());
  edit(file);
  expect_read_error(file.build(), code, reason, offset, subject);
}

const std::string kConv = "model.encoder.conv1.weight";

}  // namespace

SUSURRUS_TEST(gguf_reader_reads_everything_but_weights) {
  const Bytes file = GgufFile().build();
  for (size_t piece : {0, 1, 3, 1000}) {
    for (bool skips : {false, true}) {
      const auto found = read_checkpoint(file, piece, skips);
      ASSERT_TRUE(found.has_value());
      WhisperDimensions wanted;
      wanted.n_vocab = 3;
      wanted.n_audio_ctx = 1500;
      wanted.n_text_ctx = 4;
      wanted.n_mels = 80;
      wanted.n_audio_layer = 2;
      wanted.n_text_layer = 1;
      wanted.n_audio_head = 2;
      wanted.n_text_head = 4;
      wanted.n_audio_state = wanted.n_text_state = 32;
      EXPECT_TRUE(found->dimensions == wanted);
      EXPECT_TRUE(found->has_byte_level_text);
      EXPECT_EQ(found->vocabulary.token_count(), 3u);
      EXPECT_EQ(as_text(found->vocabulary.token(1)),
                "\xC4\xA0"
                "b");
      ASSERT_TRUE(found->tensors.size() == 6);
      const TensorInfo& embedding = found->tensors[3].info;
      EXPECT_TRUE(embedding.dtype == Dtype::q8_0);
      EXPECT_TRUE(embedding.shape == Shape({3, 32}));
      EXPECT_EQ(file[embedding.file_offset], 102);
      EXPECT_EQ(embedding.file_offset % 32, 0u);
      EXPECT_EQ(found->warnings.size(), 0u);
    }
  }
}

SUSURRUS_TEST(gguf_reader_shows_long_texts_and_arrays_when_asked_to) {
  GgufFile file;
  const std::string words(1025, 'w');
  file.keys.push_back(text_key("long", words));
  GgufKey numbers{"numbers", 9, {}};
  append_number<uint32_t>(numbers.value, 3);  // i16
  append_number<uint64_t>(numbers.value, 3);
  for (int16_t number : {-32768, 0, 7}) append_number(numbers.value, number);
  file.keys.push_back(numbers);
  file.keys.push_back(texts_key("none", {}));
  file.keys.push_back(number_key<uint8_t>("last", 0, 9));
  const std::string listed = R"(["a","Ġb","c"])";
  const auto metadata = [&](const std::string& tokens, const std::string& text,
                            const std::string& integers, const std::string& empty) {
    return R"("general.architecture":"whisper","whisper.encoder.attention.head_count":2,)"
           R"("whisper.decoder.attention.head_count":4,"general.quantization_version":2,)"
           R"("tokenizer.ggml.tokens":)" +
           tokens + R"(,"tokenizer.ggml.merges":)" + tokens +
           R"(,"some.number":1.5,"some.truth":true,"long":)" + text + R"(,"numbers":)" + integers +
           R"(,"none":)" + empty + R"(,"last":9)";
  };
  const std::string three = R"({"length":3})";
  for (size_t piece : {0, 1, 3, 1000}) {
    const auto all = read_checkpoint(file.build(), piece, true, true);
    ASSERT_TRUE(all.has_value());
    EXPECT_EQ(all->metadata.text(), metadata(listed, '"' + words + '"', "[-32768,0,7]", "[]"));
    EXPECT_EQ(all->vocabulary.token_count(), 3u);
    const auto lengths = read_checkpoint(file.build(), piece);
    ASSERT_TRUE(lengths.has_value());
    EXPECT_EQ(lengths->metadata.text(),
              metadata(three, R"({"length":1025})", three, R"({"length":0})"));
  }
}

SUSURRUS_TEST(gguf_reader_shows_no_more_than_its_limit_of_all) {
  GgufFile file;
  // Escapes make six characters of each byte.
  const std::string control(64 << 10, '\1');
  const std::vector<std::string_view> texts(200, control);
  file.keys.push_back(texts_key("texts", texts));
  file.keys.push_back(text_key("text", std::string(9 << 20, 'x')));
  file.keys.push_back(number_key<uint8_t>("last", 0, 9));
  const auto found = read_checkpoint(file.build(), 0, true, true);
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(found->metadata.text().ends_with(
      R"("texts":{"length":200},"text":{"length":9437184},"last":9)"));
}

SUSURRUS_TEST(gguf_reader_takes_what_files_in_the_wild_leave_out) {
  GgufFile bare;
  bare.version = 2;
  bare.keys = {number_key<uint32_t>("general.alignment", 4, 64)};
  bare.alignment = 64;
  // Dimensions the other way round over the same bytes, and positions that a file has.
  bare.tensors[0].ne = {32, 80, 3};
  bare.tensors.push_back({"model.encoder.embed_positions.weight", {32, 7}, 0, 896});
  const auto found = read_checkpoint(bare.build());
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->dimensions->n_mels, 80u);
  EXPECT_EQ(found->dimensions->n_audio_ctx, 7u);
  EXPECT_EQ(found->dimensions->n_audio_head, 1u);
  EXPECT_EQ(found->vocabulary.token_count(), 0u);
  ASSERT_TRUE(found->warnings.size() == 1);
  EXPECT_TRUE(found->warnings[0].starts_with("general.quantization_version is absent"));
  GgufFile few;
  few.keys[4] = texts_key("tokenizer.ggml.tokens", std::span(kGgufTokens).first(2));
  EXPECT_TRUE(read_checkpoint(few.build())->warnings[0].starts_with("tokenizer.ggml.tokens is"));
}

SUSURRUS_TEST(gguf_reader_refuses_bad_headers) {
  using enum ErrorReason;
  for (uint32_t bad : {0u, 1u, 4u, 0x03000000u}) {
    expect_malformed([&](GgufFile& file) { file.version = bad; }, version, 4, "version",
                     ErrorCode::unsupported_version);
  }
  expect_malformed([](GgufFile& file) { file.tensor_count = 1ll << 40; }, bad_index, 8,
                   "tensor_count");
  expect_malformed([](GgufFile& file) { file.key_count = 1ll << 40; }, bad_index, 16, "kv_count");
  Bytes many = GgufFile().build();
  many.resize(33 * 70000);
  store_le<uint64_t>(many.data() + 8, 65537);
  expect_read_error(many, ErrorCode::limit_exceeded, limit, 8, "tensor_count");
  Bytes cut = GgufFile().build();
  cut.resize(20);
  expect_read_error(cut, ErrorCode::truncated_input, truncated, 0, "header");
}

SUSURRUS_TEST(gguf_reader_refuses_bad_keys) {
  using enum ErrorReason;
  const GgufFile sound;
  expect_malformed([](GgufFile& file) { file.keys[6].name.clear(); }, bad_name, sound.key_offset(6),
                   "key");
  expect_malformed([](GgufFile& file) { file.keys[6].name.assign(65536, 'k'); }, limit,
                   sound.key_offset(6), "key", ErrorCode::limit_exceeded);
  expect_malformed([](GgufFile& file) { file.keys[7].name = file.keys[6].name; }, duplicate, 24,
                   "some.number");
  expect_malformed([](GgufFile& file) { file.keys[6].type = 13; }, bad_metadata,
                   sound.value_offset(6) - 4, "some.number");
  expect_malformed([](GgufFile& file) { file.keys[7].value[0] = 2; }, bad_metadata,
                   sound.value_offset(7), "some.truth");
  expect_malformed([](GgufFile& file) { file.keys[0] = text_key(file.keys[0].name, "llama12"); },
                   model, sound.value_offset(0) + 8, "general.architecture",
                   ErrorCode::unsupported_feature);
  expect_malformed([](GgufFile& file) { file.keys[1].value[0] = 0; }, bad_metadata,
                   sound.value_offset(1), "whisper.encoder.attention.head_count");
  expect_malformed([](GgufFile& file) { file.keys[3].value[0] = 1; }, version,
                   sound.value_offset(3), "general.quantization_version",
                   ErrorCode::unsupported_version);
  for (uint32_t bad : {0u, 4u, 48u}) {
    expect_malformed(
        [&](GgufFile& file) { file.keys[6] = number_key("general.alignment", 4, bad); },
        bad_metadata, sound.key_offset(6) + 8 + 17 + 4, "general.alignment");
  }
}

SUSURRUS_TEST(gguf_reader_refuses_bad_arrays) {
  using enum ErrorReason;
  const GgufFile sound;
  const auto array = [](uint32_t type, uint64_t count) {
    GgufKey key{"some.number", 9, {}};
    append_number(key.value, type);
    append_number(key.value, count);
    return key;
  };
  const uint64_t value = sound.value_offset(6);
  expect_malformed([&](GgufFile& file) { file.keys[6] = array(9, 1); }, unsupported, value,
                   "some.number", ErrorCode::unsupported_feature);
  expect_malformed([&](GgufFile& file) { file.keys[6] = array(13, 1); }, bad_metadata, value,
                   "some.number");
  for (uint64_t count : {1ull << 31, 1ull << 62, ~0ull}) {
    expect_malformed([&](GgufFile& file) { file.keys[6] = array(5, count); }, limit, value + 4,
                     "some.number", ErrorCode::limit_exceeded);
  }
  expect_malformed([&](GgufFile& file) { file.keys[6] = array(5, 1 << 20); }, truncated, value + 12,
                   "some.number", ErrorCode::truncated_input);
  // A text of the array that runs past the file, and one that is too long for a token.
  expect_malformed([](GgufFile& file) { store_le<uint64_t>(&file.keys[5].value[12], 1 << 20); },
                   truncated, sound.value_offset(5) + 20, "tokenizer.ggml.merges",
                   ErrorCode::truncated_input);
  expect_malformed([](GgufFile& file) { store_le<uint64_t>(&file.keys[4].value[12], 1025); }, limit,
                   sound.value_offset(4) + 12, "token", ErrorCode::limit_exceeded);
  expect_malformed([](GgufFile& file) { store_le<uint64_t>(&file.keys[5].value[12], 1ull << 40); },
                   limit, sound.value_offset(5) + 12, "value", ErrorCode::limit_exceeded);
}

SUSURRUS_TEST(gguf_reader_refuses_bad_tensors) {
  using enum ErrorReason;
  const GgufFile sound;
  const uint64_t ne = sound.ne_offset(0);
  expect_malformed([](GgufFile& file) { file.tensors[0].name.clear(); }, bad_name,
                   sound.tensor_offset(0), "tensor name");
  expect_malformed([](GgufFile& file) { file.tensors[0].name.assign(64, 'x'); }, bad_name,
                   sound.tensor_offset(0), "tensor name");
  expect_malformed([](GgufFile& file) { file.tensors[0].ne.assign(5, 1); }, bad_shape, ne - 4,
                   kConv);
  expect_malformed([](GgufFile& file) { file.tensors[0].ne.clear(); }, bad_shape, ne - 4, kConv);
  expect_malformed([](GgufFile& file) { file.tensors[0].ne = {1ull << 40, 1ull << 40}; }, bad_shape,
                   ne, kConv);
  expect_malformed([](GgufFile& file) { file.tensors[0].type = 8; }, bad_shape, ne, kConv);
  expect_malformed([](GgufFile& file) { file.tensors[0].type = 12; }, unsupported_dtype, ne + 24,
                   kConv, ErrorCode::unsupported_feature);
  GgufFile k_quants;
  k_quants.tensors[0].type = 14;
  EXPECT_EQ(read_checkpoint(k_quants.build()).error().got.view(), "Q6_K");
  expect_malformed([](GgufFile& file) { file.tensors[1].name = kConv; }, duplicate,
                   sound.ne_offset(1) - 31 + 26 + 8 + 4, kConv);
  for (int64_t offset : {0ll, 15361ll, 15360ll + 32}) {
    expect_malformed([&](GgufFile& file) { file.tensors[1].offset = offset; }, layout,
                     sound.ne_offset(1) + 12, "model.encoder.layers.1.fc1.bias");
  }
  expect_malformed([](GgufFile& file) { file.tensors.pop_back(); }, model, kNoOffset,
                   "decoder.ln.weight", ErrorCode::missing_tensor);
  Bytes cut = sound.build();
  const uint64_t last = cut.size() - 128;
  cut.resize(cut.size() - 1);
  expect_read_error(cut, ErrorCode::truncated_input, truncated, last,
                    "model.decoder.layer_norm.weight");
  cut.resize(sound.tensor_offset(5) + 9);
  expect_read_error(cut, ErrorCode::truncated_input, truncated, sound.tensor_offset(5) + 8,
                    "tensor name");
}

SUSURRUS_TEST(gguf_reader_is_safe_from_damaged_files) {
  expect_safe_when_damaged(GgufFile().build());
}

}  // namespace susurrus::testing::gguf_reader_test
