#include "container/ggml/ggml_reader.h"

#include <limits>

#include "container/checkpoint_pieces.h"
#include "container/ggml_builder.h"

namespace susurrus::testing::ggml_reader_test {
namespace {

constexpr uint64_t kFilters = 56;
constexpr uint64_t kVocabulary = kFilters + 80 * 201 * 4;
constexpr uint64_t kTensors = kVocabulary + 4 + 4 * 3 + 3;

void expect_malformed(const Edit<GgmlFile>& edit, ErrorReason reason, uint64_t offset,
                      std::string_view subject, ErrorCode code = ErrorCode::malformed) {
  GgmlFile file;
  EXPECT_TRUE(read_checkpoint(file.build()).has_value());
  edit(file);
  expect_read_error(file.build(), code, reason, offset, subject);
}

}  // namespace

SUSURRUS_TEST(ggml_reader_reads_everything_but_weights) {
  const Bytes file = GgmlFile().build();
  for (size_t piece : {0, 1, 3, 1000}) {
    for (bool skips : {false, true}) {
      const auto found = read_checkpoint(file, piece, skips);
      ASSERT_TRUE(found.has_value());
      EXPECT_EQ(std::string_view(found->format), "ggml");
      ASSERT_TRUE(found->dimensions.has_value());
      EXPECT_EQ(found->dimensions->n_vocab, 3u);
      EXPECT_EQ(found->dimensions->n_audio_ctx, 6u);
      EXPECT_EQ(found->dimensions->n_text_ctx, 4u);
      EXPECT_EQ(found->dimensions->n_mels, 80u);
      EXPECT_EQ(found->vocabulary.token_count(), 3u);
      EXPECT_EQ(as_text(found->vocabulary.token(1)), "");
      EXPECT_EQ(as_text(found->vocabulary.token(2)), "bc");
      EXPECT_FALSE(found->has_byte_level_text);
      EXPECT_EQ(std::as_const(found->mel_filterbank).floats().size(), 80u * 201);
      EXPECT_EQ(std::as_const(found->mel_filterbank).floats()[5], 0.5f);
      ASSERT_TRUE(found->tensors.size() == 3);
      const TensorInfo& embedding = found->tensors[1].info;
      EXPECT_EQ(embedding.name, "decoder.token_embedding.weight");
      EXPECT_TRUE(embedding.dtype == Dtype::q8_0);
      EXPECT_TRUE(embedding.shape == Shape({3, 32}));
      EXPECT_EQ(embedding.stored_byte_count, 102u);
      EXPECT_EQ(file[embedding.file_offset], 2);
      EXPECT_EQ(file[embedding.file_offset + 101], 2);
      EXPECT_TRUE(found->tensors[2].info.shape == Shape({32, 80, 3}));
      EXPECT_EQ(found->warnings.size(), 0u);
    }
  }
}

SUSURRUS_TEST(ggml_reader_leaves_out_a_damaged_vocabulary) {
  GgmlFile file;
  file.header[0] = 100;
  file.token_count = 95;
  file.tokens.assign(95, "x");
  EXPECT_EQ(read_checkpoint(file.build())->vocabulary.token_count(), 95u);
  file.tokens[94] = "\xEF\xBF\xBD";
  const auto found = read_checkpoint(file.build());
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->vocabulary.token_count(), 0u);
  ASSERT_TRUE(found->warnings.size() == 1);
  EXPECT_TRUE(found->warnings[0].find("damaged") != std::string::npos);
}

SUSURRUS_TEST(ggml_reader_ends_where_the_file_does) {
  Bytes file = GgmlFile().build();
  file.push_back(0);
  const auto found = read_checkpoint(file);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->warnings.size(), 1u);
  GgmlFile none;
  none.tensors.clear();
  EXPECT_EQ(read_checkpoint(none.build())->tensors.size(), 0u);
}

SUSURRUS_TEST(ggml_reader_refuses_bad_headers) {
  using enum ErrorReason;
  const char* names[] = {"n_vocab",       "n_audio_ctx", "n_audio_state", "n_audio_head",
                         "n_audio_layer", "n_text_ctx",  "n_text_state",  "n_text_head",
                         "n_text_layer",  "n_mels"};
  for (int i = 0; i < 10; ++i) {
    // Two of them are what tells a Whisper.
    if (i == 2 || i == 6 || i == 9) continue;
    for (int32_t value : {0, -1, std::numeric_limits<int32_t>::max()}) {
      expect_malformed([&](GgmlFile& file) { file.header[i] = value; }, bad_metadata, 4 + 4 * i,
                       names[i]);
    }
  }
  expect_malformed([](GgmlFile& file) { file.header[2] = file.header[6] = 0; }, bad_metadata, 12,
                   "n_audio_state");
  expect_malformed([](GgmlFile& file) { file.header[9] = file.n_mel = 81; }, bad_metadata, 40,
                   "n_mels");
  expect_malformed([](GgmlFile& file) { file.header[10] = 1007; }, version, 44, "ftype",
                   ErrorCode::unsupported_version);
  for (int32_t type : {2012, 12, 5, -1}) {
    expect_malformed([&](GgmlFile& file) { file.header[10] = type; }, unsupported_dtype, 44,
                     "ftype", ErrorCode::unsupported_feature);
  }
  GgmlFile k_quants;
  k_quants.header[10] = 2012;
  EXPECT_EQ(read_checkpoint(k_quants.build()).error().got.view(), "Q4_K");
  // A file of another family begins like this one.
  expect_malformed([](GgmlFile& file) { file.header[6] = 64; }, model, 0, "file",
                   ErrorCode::unsupported_feature);
}

SUSURRUS_TEST(ggml_reader_refuses_bad_filterbanks) {
  using enum ErrorReason;
  expect_malformed([](GgmlFile& file) { file.filters[7] = -1; }, bad_filterbank, kFilters + 28,
                   "mel filterbank");
  expect_malformed(
      [](GgmlFile& file) { file.filters[7] = std::numeric_limits<float>::quiet_NaN(); },
      bad_filterbank, kFilters + 28, "mel filterbank");
  expect_malformed([](GgmlFile& file) { file.filters[7] = std::numeric_limits<float>::infinity(); },
                   bad_filterbank, kFilters + 28, "mel filterbank");
  // Through the reader alone: recognition takes the first two for other families.
  for (int i = 0; i < 2; ++i) {
    GgmlFile file;
    (i == 0 ? file.n_mel : file.n_fft) = 400;
    const Bytes bytes = file.build();
    GgmlReader reader(bytes.size());
    const Status status = reader.push(bytes);
    EXPECT_TRUE(status.error().reason == bad_filterbank);
    EXPECT_EQ(status.error().offset, 48u + 4 * i);
    EXPECT_EQ(status.error().subject.view(), i == 0 ? "n_mel" : "n_fft");
    EXPECT_EQ(reader.push({}).error().code, ErrorCode::disabled_by_previous_error);
  }
}

SUSURRUS_TEST(ggml_reader_refuses_bad_vocabularies) {
  using enum ErrorReason;
  for (int32_t count : {-1, 4}) {
    expect_malformed([&](GgmlFile& file) { file.token_count = count; }, bad_vocabulary, kVocabulary,
                     "token count");
  }
  expect_malformed([](GgmlFile& file) { file.tokens[0] = std::string(1025, 'x'); }, bad_vocabulary,
                   kVocabulary + 4, "token length");
  Bytes cut = GgmlFile().build();
  cut.resize(kVocabulary + 4 + 4 + 1 + 4 + 4 + 1);
  expect_read_error(cut, ErrorCode::truncated_input, truncated, cut.size() - 1, "token");
  cut.resize(cut.size() - 3);
  expect_read_error(cut, ErrorCode::truncated_input, truncated, cut.size() - 2, "token length");
  cut.resize(kVocabulary + 2);
  expect_read_error(cut, ErrorCode::truncated_input, truncated, kVocabulary, "vocabulary");
  cut.resize(kVocabulary - 1);
  expect_read_error(cut, ErrorCode::truncated_input, truncated, kFilters, "mel filterbank");
  cut.resize(54);
  expect_read_error(cut, ErrorCode::truncated_input, truncated, 48, "mel filterbank");
  cut.resize(20);
  expect_read_error(cut, ErrorCode::truncated_input, truncated, 0, "hparams");
}

SUSURRUS_TEST(ggml_reader_refuses_bad_tensors) {
  using enum ErrorReason;
  constexpr uint64_t kDims = kTensors + 12;
  const std::string name = "encoder.conv1.bias";
  expect_malformed([](GgmlFile& file) { file.tensors[0].ne.clear(); }, bad_shape, kTensors,
                   "n_dims");
  expect_malformed([](GgmlFile& file) { file.tensors[0].ne = {1, 1, 1, 1, 32}; }, bad_shape,
                   kTensors, "n_dims");
  expect_malformed([](GgmlFile& file) { file.tensors[0].name.clear(); }, bad_name, kTensors + 4,
                   "name_len");
  expect_malformed([](GgmlFile& file) { file.tensors[0].name.assign(1025, 'x'); }, bad_name,
                   kTensors + 4, "name_len");
  expect_malformed([](GgmlFile& file) { file.tensors[0].name = "encoder.conv3.bias"; }, bad_name,
                   kDims + 8, "encoder.conv3.bias");
  expect_malformed([](GgmlFile& file) { file.tensors[0].ne[1] = -32; }, bad_shape, kDims + 4, name);
  expect_malformed(
      [](GgmlFile& file) {
        const int32_t most = std::numeric_limits<int32_t>::max();
        file.tensors[0].ne = {most, most, most};
      },
      bad_shape, kDims, name);
  expect_malformed(
      [](GgmlFile& file) {
        file.tensors[0].type = 8;
        file.tensors[0].ne = {33, 1};
      },
      bad_shape, kDims, name);
  expect_malformed([&](GgmlFile& file) { file.tensors[1].name = name; }, duplicate,
                   kDims + 8 + 18 + 128 + 12 + 8, name);
  Bytes cut = GgmlFile().build();
  const uint64_t last = cut.size() - 15360;
  cut.resize(cut.size() - 10);
  expect_read_error(cut, ErrorCode::truncated_input, truncated, last, "encoder.conv1.weight");
  cut.resize(last - 1);
  expect_read_error(cut, ErrorCode::truncated_input, truncated, last - 12 - 20, "tensor header");
  cut.resize(last - 12 - 20 - 5);
  expect_read_error(cut, ErrorCode::truncated_input, truncated, last - 12 - 20 - 12,
                    "tensor header");
  const std::pair<uint32_t, const char*> types[] = {{9, "Q8_1"},
                                                    {10, "Q2_K"},
                                                    {11, "Q3_K"},
                                                    {12, "Q4_K"},
                                                    {13, "Q5_K"},
                                                    {14, "Q6_K"},
                                                    {15, "Q8_K"},
                                                    {24, "I8"},
                                                    {28, "F64"},
                                                    {4, "type 4"},
                                                    {~0u, "type 4294967295"}};
  for (const auto& [type, type_name] : types) {
    expect_malformed([&](GgmlFile& file) { file.tensors[0].type = type; }, unsupported_dtype,
                     kTensors + 8, name, ErrorCode::unsupported_feature);
    GgmlFile file;
    file.tensors[0].type = type;
    EXPECT_EQ(read_checkpoint(file.build()).error().got.view(), type_name);
  }
}

SUSURRUS_TEST(ggml_reader_is_safe_from_damaged_files) {
  expect_safe_when_damaged(GgmlFile().build());
}

}  // namespace susurrus::testing::ggml_reader_test
