// apr.md §10, cases 1 to 30 and those of the model level, for APR1: code, reason, offset and subject of each.
#include <limits>

#include "container/apr1_builder.h"
#include "container/inspection.h"
#include "container/recording_sink.h"
#include "families/whisper/whisper_family.h"
#include "harness.h"
#include "tensor/weight_store.h"

namespace susurrus::testing::apr1_malformed_test {
namespace {

using Code = ErrorCode;
using Reason = ErrorReason;

struct Malformed {
  const char* name;
  Code code;
  Reason reason;
  uint64_t offset;
  std::string_view subject;
  Bytes file;
};

constexpr uint64_t kEntry = 52;  // of G1's only tensor
constexpr uint64_t kData = 0x94;
constexpr uint64_t kVocabulary = 0xA4;
constexpr uint64_t kFilterbank = 0xC0;
constexpr uint64_t kCrc = 0xE4;
constexpr std::string_view kTensor = "encoder.conv1.bias";

Bytes with(const Edit<Apr1Builder>& change) {
  Apr1Builder builder = golden_apr1();
  change(builder);
  return builder.build();
}

Bytes with_tensor(const Edit<Apr1Tensor>& change) {
  return with([&](Apr1Builder& builder) { change(builder.tensors[0]); });
}

template <typename T>
Bytes with_number(size_t offset, T value) {
  return with([=](Apr1Builder& builder) {
    builder.edit = [=](Bytes& file) { store_le(file.data() + offset, value); };
  });
}

Bytes cut(Bytes file, size_t size) {
  file.resize(size);
  return file;
}

/// Two tensors of 16 bytes each, without sections.
Apr1Builder two() {
  Apr1Builder builder;
  builder.tensors = {{"a", {4}, Bytes(16, 1)}, {"b", {4}, Bytes(16, 2)}};
  return builder;
}
constexpr uint64_t kTwoData = 52 + 2 * 96;

Bytes with_two(const Edit<Apr1Builder>& change) {
  Apr1Builder builder = two();
  change(builder);
  return builder.build();
}

/// One tensor of 64 bytes whose LZ4 stream is this.
Bytes with_lz4(uint32_t size, Bytes block) {
  Apr1Builder builder;
  builder.compressed = 1;
  Bytes stored;
  append_number(stored, size);
  stored.insert(stored.end(), block.begin(), block.end());
  builder.tensors = {{"a", {16}, stored}};
  return builder.build();
}
constexpr uint64_t kLz4Data = 52 + 96;
// apr.md §11, G3: 64 zero bytes.
const Bytes kZeros = {0x1f, 0, 1, 0, 0x27, 0x50, 0, 0, 0, 0, 0};

Bytes conv1(uint32_t channels, uint32_t n_mels, uint32_t n_freqs) {
  Apr1Builder builder;
  builder.tensors = {{"encoder.conv1.weight", {1, channels, 3}, Bytes(size_t{12} * channels)}};
  builder.filterbank =
      apr1_filterbank(n_mels, n_freqs, std::vector<float>(size_t{n_mels} * n_freqs, 0.5f));
  return builder.build();
}
uint64_t behind_conv1(uint32_t channels) { return 52 + 96 + 12 * channels; }

Bytes with_vocabulary(const Edit<Bytes>& change) {
  return with([&](Apr1Builder& builder) { change(builder.vocabulary); });
}

std::vector<Malformed> header_cases() {
  const Bytes good = golden_apr1().build();
  return {
      {"1 empty", Code::truncated_input, Reason::truncated, 0, "file", {}},
      {"1 magic only", Code::truncated_input, Reason::truncated, 4, "file", cut(good, 4)},
      {"3 version 0", Code::unsupported_version, Reason::version, 4, "version",
       with_number<uint16_t>(4, 0)},
      {"3 version 2", Code::unsupported_version, Reason::version, 4, "version",
       with_number<uint16_t>(4, 2)},
      {"6 header cut at 16", Code::truncated_input, Reason::truncated, 16, "header", cut(good, 16)},
      {"6 header cut at 51", Code::truncated_input, Reason::truncated, 51, "header", cut(good, 51)},
      {"7 int4", Code::unsupported_feature, Reason::unsupported, 7, "quantization",
       with([](Apr1Builder& b) { b.quantization = 3; })},
      {"8 compressed 2", Code::unsupported_feature, Reason::unsupported, 8, "compressed",
       with([](Apr1Builder& b) { b.compressed = 2; })},
      {"9 flag bit 2", Code::unsupported_feature, Reason::unsupported_flag, 11, "flags",
       with([](Apr1Builder& b) { b.flags = 4; })},
      {"9 flag bit 7", Code::unsupported_feature, Reason::unsupported_flag, 11, "flags",
       with([](Apr1Builder& b) { b.flags = 0x80; })},
      {"10 index past the end", Code::truncated_input, Reason::truncated, good.size(),
       "tensor index", with([](Apr1Builder& b) { b.tensor_count = 9; })},
      {"10 most tensors", Code::truncated_input, Reason::truncated, good.size(), "tensor index",
       with([](Apr1Builder& b) { b.tensor_count = 65535; })},
      {"11 no tensors", Code::malformed, Reason::no_tensors, 9, "n_tensors", Apr1Builder{}.build()},
      {"11 an early file", Code::malformed, Reason::no_tensors, 9, "n_tensors",
       with([](Apr1Builder& b) { b.tensor_count = 0; })},
      {"43 a dimension of 0", Code::malformed, Reason::bad_metadata, 16, "n_audio_ctx",
       with([](Apr1Builder& b) { b.dims[1] = 0; })},
      {"43 a dimension of 2^31", Code::malformed, Reason::bad_metadata, 12, "n_vocab",
       with([](Apr1Builder& b) { b.dims[0] = 1u << 31; })},
      {"44 heads", Code::malformed, Reason::bad_metadata, 20, "n_audio_state",
       with([](Apr1Builder& b) { b.dims[3] = 5; })},
      {"44 states", Code::malformed, Reason::bad_metadata, 36, "n_text_state",
       with([](Apr1Builder& b) { b.dims[6] = 768; })},
      {"81 Moonshine", Code::unsupported_feature, Reason::model, 48, "n_mels",
       with([](Apr1Builder& b) { b.dims[0] = 32768, b.dims[9] = 0; })},
  };
}

std::vector<Malformed> index_cases() {
  const uint64_t overflowing = ~uint64_t{0} - 8;
  return {
      {"4 an end beyond 64 bits", Code::malformed, Reason::bounds, kEntry, kTensor,
       with_tensor([=](Apr1Tensor& t) { t.offset = overflowing; })},
      {"12 an empty name", Code::malformed, Reason::bad_name, kEntry, "name",
       with_tensor([](Apr1Tensor& t) { t.name = ""; })},
      {"12 48 bytes that are not UTF-8", Code::malformed, Reason::bad_name, kEntry, "name",
       with_tensor([](Apr1Tensor& t) { t.name = std::string(47, 'a') + "\xC3"; })},
      {"12 a control character", Code::malformed, Reason::bad_name, kEntry, "name",
       with_tensor([](Apr1Tensor& t) { t.name = "a\nb"; })},
      {"13 bytes behind the zero", Code::malformed, Reason::bad_name, kEntry, "name",
       with_tensor([](Apr1Tensor& t) { t.name = std::string("a\0b", 3); })},
      {"14 a name twice", Code::malformed, Reason::duplicate, kEntry, "a",
       with_two([](Apr1Builder& b) { b.tensors[1].name = "a"; })},
      {"15 no dimensions", Code::malformed, Reason::bad_shape, kEntry, kTensor,
       with_tensor([](Apr1Tensor& t) { t.rank = 0; })},
      {"15 five dimensions", Code::malformed, Reason::bad_shape, kEntry, kTensor,
       with_tensor([](Apr1Tensor& t) { t.rank = 5; })},
      {"16 other elements", Code::malformed, Reason::bad_shape, kEntry, kTensor,
       with_tensor([](Apr1Tensor& t) { t.element_count = 5; })},
      {"16 a product that wraps to the count", Code::malformed, Reason::bad_shape, kEntry, kTensor,
       with_tensor([](Apr1Tensor& t) {
         t.dims = {1u << 31, 1u << 31, 4, 1};
         t.element_count = 0;
       })},
      {"16 bytes that wrap", Code::malformed, Reason::bad_shape, kEntry, kTensor,
       with_tensor([](Apr1Tensor& t) {
         t.dims = {1u << 31, 1u << 31, 1, 1};
         t.element_count = uint64_t{1} << 62;
         t.size = 0;
       })},
      {"17 a size too small", Code::malformed, Reason::size_mismatch, kEntry, kTensor,
       with_tensor([](Apr1Tensor& t) { t.size = 15; })},
      {"17 f16 of no size that fits", Code::malformed, Reason::size_mismatch, kEntry, kTensor,
       with([](Apr1Builder& b) {
         b.quantization = 1;
         b.tensors[0].size = 12;
       })},
      {"18 past the end", Code::malformed, Reason::bounds, kTwoData + 4096, "b",
       with_two([](Apr1Builder& b) { b.tensors[1].offset = 4096; })},
      {"19 an overlap", Code::malformed, Reason::layout, kTwoData + 8, "b",
       with_two([](Apr1Builder& b) { b.tensors[1].offset = 8; })},
      {"19 the same place", Code::malformed, Reason::layout, kTwoData, "b",
       with_two([](Apr1Builder& b) { b.tensors[1].offset = 0; })},
      {"19 a gap", Code::malformed, Reason::layout, kTwoData + 20, "b",
       with_two([](Apr1Builder& b) {
         b.tensors[1].offset = 20;
         b.tail = Bytes(4);
       })},
      {"20 no room for scales", Code::truncated_input, Reason::truncated, 52 + 96 + 2,
       "scale table",
       [] {
         Apr1Builder b;
         b.quantization = 2;
         b.tensors = {{"a", {4}, Bytes(4)}};
         return cut(b.build(), 52 + 96 + 2);
       }()},
  };
}

std::vector<Malformed> scale_cases() {
  std::vector<Malformed> cases;
  const float infinity = std::numeric_limits<float>::infinity();
  for (const float scale : {std::numeric_limits<float>::quiet_NaN(), infinity, 0.0f, -1.0f}) {
    Apr1Builder b = two();
    b.quantization = 2;
    for (Apr1Tensor& tensor : b.tensors) tensor.stored = Bytes(4);
    b.tensors[1].scale = scale;
    cases.push_back(
        {"21 a scale", Code::malformed, Reason::bad_scale, kTwoData + 4, "b", b.build()});
  }
  return cases;
}

std::vector<Malformed> data_cases() {
  const Bytes good = golden_apr1().build();
  Bytes flipped = good;
  flipped[kData + 3] ^= 0x10;
  return {
      {"5 a flipped bit", Code::checksum_mismatch, Reason::checksum, kCrc, "crc32", flipped},
      {"10 index cut", Code::truncated_input, Reason::truncated, kData - 1, "tensor index",
       cut(good, kData - 1)},
      {"18 data cut", Code::truncated_input, Reason::truncated, kData + 15, "tensors",
       cut(good, kData + 15)},
      {"22 before the vocabulary's size", Code::truncated_input, Reason::truncated, kVocabulary + 3,
       "vocabulary", cut(good, kVocabulary + 3)},
      {"22 vocabulary cut", Code::malformed, Reason::bounds, kVocabulary, "vocabulary",
       cut(good, kFilterbank - 1)},
      {"22 vocabulary past the end", Code::malformed, Reason::bounds, kVocabulary, "vocabulary",
       with_number<uint32_t>(kVocabulary, 0xFFFFFFFF)},
      {"26 filterbank cut", Code::truncated_input, Reason::truncated, kCrc - 1, "filterbank",
       cut(good, kCrc - 1)},
      {"29 no checksum", Code::truncated_input, Reason::truncated, kCrc, "crc32", cut(good, kCrc)},
      {"29 half a checksum", Code::truncated_input, Reason::truncated, kCrc + 3, "crc32",
       cut(good, kCrc + 3)},
      {"29 a byte behind", Code::malformed, Reason::trailing_data, kCrc + 4, "file",
       cut(good, good.size() + 1)},
      {"29 97 bytes behind", Code::malformed, Reason::trailing_data, kCrc + 4, "file",
       cut(good, good.size() + 97)},
      {"30 block size 0", Code::malformed, Reason::decompress, kLz4Data, "a", with_lz4(0, kZeros)},
      {"30 block past the tensor", Code::malformed, Reason::decompress, kLz4Data, "a",
       with_lz4(12, kZeros)},
      {"30 too few bytes decoded", Code::malformed, Reason::decompress, kLz4Data + 9, "a",
       with_lz4(5, {0x40, 1, 2, 3, 4})},
      {"30 match offset 0", Code::malformed, Reason::decompress, kLz4Data + 4, "a",
       with_lz4(11, {0x1f, 0, 0, 0, 0x27, 0x50, 0, 0, 0, 0, 0})},
      {"30 a bomb", Code::malformed, Reason::decompress, 52, "a",
       [] {
         Apr1Builder b;
         b.compressed = 1;
         b.tensors = {{"a", {1u << 20}, Bytes(16)}};
         return b.build();
       }()},
  };
}

std::vector<Malformed> section_cases() {
  const float infinity = std::numeric_limits<float>::infinity();
  const auto filterbank_of = [](float weight) {
    return with([=](Apr1Builder& b) {
      b.filterbank = apr1_filterbank(2, 3, {0, 0.5f, 0, weight, 0, 0.25f});
    });
  };
  return {
      {"23 a token past the section", Code::malformed, Reason::bad_vocabulary, kVocabulary + 12,
       "vocabulary", with_number<uint16_t>(kVocabulary + 12, 0xFFFF)},
      {"23 a merge past the section", Code::malformed, Reason::bad_vocabulary, kVocabulary + 25,
       "merges", with_number<uint16_t>(kVocabulary + 25, 9)},
      {"23 too many tokens", Code::malformed, Reason::bad_vocabulary, kVocabulary + 12,
       "vocabulary", with_number<uint32_t>(kVocabulary + 4, 9)},
      {"23 billions of tokens", Code::malformed, Reason::bad_vocabulary, kVocabulary + 12,
       "vocabulary", with_number<uint32_t>(kVocabulary + 4, 0xFFFFFFFF)},
      {"23 a section of 4 bytes", Code::malformed, Reason::bad_vocabulary, kVocabulary + 8,
       "vocabulary", with([](Apr1Builder& b) { b.vocabulary = {4, 0, 0, 0, 0, 0, 0, 0}; })},
      {"24 bytes left over", Code::malformed, Reason::bad_vocabulary, kFilterbank, "vocabulary",
       with_vocabulary([](Bytes& section) {
         section.push_back(0);
         ++section[0];
       })},
      {"25 more tokens than the model", Code::malformed, Reason::bad_vocabulary, kVocabulary + 12,
       "vocabulary", with([](Apr1Builder& b) { b.dims[0] = 2; })},
      {"26 a size that does not fit", Code::malformed, Reason::bad_filterbank, kFilterbank,
       "filterbank", with_number<uint32_t>(kFilterbank, 31)},
      {"26 a size below 8", Code::malformed, Reason::bad_filterbank, kFilterbank, "filterbank",
       with_number<uint32_t>(kFilterbank, 4)},
      {"26 a product that wraps", Code::malformed, Reason::bad_filterbank, kFilterbank,
       "filterbank", with_number<uint32_t>(kFilterbank + 4, 0x80000002)},
      {"27 200 frequencies", Code::malformed, Reason::bad_filterbank, behind_conv1(80),
       "filterbank", conv1(80, 80, 200)},
      {"27 bands that no Whisper has", Code::malformed, Reason::bad_filterbank, behind_conv1(64),
       "filterbank", conv1(64, 64, 201)},
      {"27 other bands than conv1", Code::malformed, Reason::bad_filterbank, behind_conv1(80),
       "filterbank", conv1(80, 128, 201)},
      {"28 NaN", Code::malformed, Reason::bad_filterbank, kFilterbank + 24, "filterbank",
       filterbank_of(std::numeric_limits<float>::quiet_NaN())},
      {"28 infinite", Code::malformed, Reason::bad_filterbank, kFilterbank + 24, "filterbank",
       filterbank_of(infinity)},
      {"28 negative", Code::malformed, Reason::bad_filterbank, kFilterbank + 24, "filterbank",
       filterbank_of(-0.5f)},
  };
}

constexpr std::string_view kIndex =
    R"([{"name":"w","dtype":"F32","shape":[2,2],"offset":0,"size":16}])";

Bytes json(std::string_view index, uint32_t count = 1, std::string_view metadata = "{}") {
  return json_apr1(metadata, count, index, Bytes(16, 3));
}

std::vector<Malformed> json_cases() {
  const Bytes good = json(kIndex);
  const auto index_of = [](std::string_view from, std::string_view to) {
    std::string text(kIndex);
    text.replace(text.find(from), from.size(), to);
    return json(text);
  };
  Bytes trueno;
  append_text(trueno, "APR1");
  append_number<uint32_t>(trueno, 20);
  append_text(trueno, R"({"kernels":["a"]   })");
  const Bytes bracket = [] {
    Bytes file;
    append_text(file, "APR1");
    append_number<uint32_t>(file, 20);
    append_text(file, "[1,2,3,4,5,6,7,8,9] ");
    return file;
  }();
  constexpr uint64_t kNumbers = 10;
  constexpr uint64_t kList = 18;
  const std::string whisper =
      R"([{"name":"encoder.conv1.weight","dtype":"F32","shape":[1,1,4],"offset":0,"size":16}])";
  return {
      {"metadata past the end", Code::truncated_input, Reason::truncated, 20, "metadata",
       [&] {
         Bytes file = cut(good, 20);
         store_le<uint32_t>(file.data() + 4, 100);
         return file;
       }()},
      {"metadata beyond the limit", Code::limit_exceeded, Reason::limit, 4, "metadata",
       [&] {
         Bytes file = good;
         store_le<uint32_t>(file.data() + 4, 0xFFFFFFFF);
         return file;
       }()},
      {"metadata that are no JSON", Code::malformed, Reason::bad_metadata, 9, "metadata",
       json(kIndex, 1, "{x")},
      // Whose number of tensors begins with the brace that tells the layout.
      {"no metadata", Code::malformed, Reason::bad_metadata, 8, "metadata", json(kIndex, '{', "")},
      {"an index past the end", Code::truncated_input, Reason::truncated, 18 + 10, "tensor index",
       cut(good, 18 + 10)},
      {"an index beyond the limit", Code::limit_exceeded, Reason::limit, 14, "tensor index",
       [&] {
         Bytes file = good;
         store_le<uint32_t>(file.data() + 14, 0xFFFFFFFF);
         return file;
       }()},
      {"no tensors", Code::malformed, Reason::no_tensors, kNumbers, "n_tensors", json("[]", 0)},
      {"another count", Code::malformed, Reason::bad_index, kList, "tensor index", json(kIndex, 2)},
      {"an index that is no JSON", Code::malformed, Reason::bad_index, kList + 2, "tensor index",
       json("[{]")},
      {"a dtype", Code::unsupported_feature, Reason::unsupported_dtype, kList, "w",
       index_of("F32", "F16")},
      {"no name", Code::malformed, Reason::bad_index, kList, "name", index_of("name", "nome")},
      {"a control character", Code::malformed, Reason::bad_name, kList, "name",
       index_of(R"("w")", R"("w\u0001")")},
      {"no dimensions", Code::malformed, Reason::bad_shape, kList, "w", index_of("2,2", "")},
      {"nine dimensions", Code::malformed, Reason::bad_shape, kList, "w",
       index_of("2,2", "1,1,1,1,1,1,1,2,2")},
      {"a fraction", Code::malformed, Reason::bad_index, kList, "w", index_of("2,2", "2,2.5")},
      {"a product that overflows", Code::malformed, Reason::bad_shape, kList, "w",
       index_of("2,2", "4611686018427387904,4")},
      {"a size", Code::malformed, Reason::size_mismatch, kList, "w", index_of(":16", ":20")},
      {"no size", Code::malformed, Reason::bad_index, kList, "w", index_of(":16", ":null")},
      {"an end beyond 64 bits", Code::malformed, Reason::bounds, kList, "w",
       index_of(R"("offset":0)", R"("offset":18446744073709551610)")},
      {"past the end", Code::malformed, Reason::bounds, kList + kIndex.size() + 2 + 100, "w",
       index_of(R"("offset":0)", R"("offset":100)")},
      {"a name twice", Code::malformed, Reason::duplicate, kList, "w",
       json(std::string(kIndex.substr(0, kIndex.size() - 1)) + "," + std::string(kIndex.substr(1)),
            2)},
      {"data cut", Code::truncated_input, Reason::truncated, good.size() - 5, "tensors",
       cut(good, good.size() - 5)},
      {"trailing data", Code::malformed, Reason::trailing_data, good.size(), "file",
       cut(good, good.size() + 3)},
      {"a flipped bit", Code::checksum_mismatch, Reason::checksum, good.size() - 4, "crc32",
       [&] {
         Bytes file = good;
         file[file.size() - 6] ^= 1;
         return file;
       }()},
      {"a trueno cache", Code::unsupported_feature, Reason::model, 0, "file", trueno},
      {"another trueno cache", Code::unsupported_feature, Reason::model, 0, "file", bracket},
      {"something else behind the metadata", Code::unsupported_feature, Reason::model, 0, "file",
       json("\"not a list\"")},
      {"dimensions that nothing tells", Code::malformed, Reason::bad_metadata, 8, "n_vocab",
       json(whisper)},
  };
}

SUSURRUS_TEST(apr1_malformed_files_are_refused_wherever_they_are_cut) {
  // What the cases are made from is sound.
  RecordingSink sound;
  ASSERT_TRUE(read_file(sound, golden_apr1().build()).has_value());
  ASSERT_TRUE(read_file(sound, two().build()).has_value());
  ASSERT_TRUE(read_file(sound, with_lz4(11, kZeros)).has_value());
  ASSERT_TRUE(read_file(sound, json(kIndex)).has_value());
  ASSERT_TRUE(read_file(sound, conv1(80, 80, 201)).has_value());
  for (const auto& cases : {header_cases(), index_cases(), scale_cases(), data_cases(),
                            section_cases(), json_cases()}) {
    for (const Malformed& each : cases) {
      for (const bool tell_length : {true, false}) {
        for (const size_t chunk : {~size_t{0}, size_t{1}, size_t{13}}) {
          RecordingSink sink;
          const Status status = read_file(sink, each.file, tell_length, chunk);
          expect_error(each, status, tell_length ? "length told" : "length not told");
        }
      }
    }
  }
}

SUSURRUS_TEST(apr1_says_what_an_early_file_is) {
  const Bytes early = with([](Apr1Builder& b) { b.tensor_count = 0; });
  for (const bool tell_length : {true, false}) {
    RecordingSink sink;
    const Status status = read_file(sink, early, tell_length, 9);
    ASSERT_FALSE(status.has_value());
    EXPECT_TRUE(status.error().expected.view().find("convert it again") != std::string_view::npos);
  }
}

/// apr.md §10, the model level: what loading rejects and inspecting does not.
SUSURRUS_TEST(apr1_that_is_no_whole_whisper_is_not_loaded) {
  const auto error_of = [](const Edit<Apr1Builder>& change) {
    Apr1Builder builder = whisper_apr1(0);
    change(builder);
    const Bytes file = builder.build();
    InspectSink inspected;
    EXPECT_TRUE(read_file(inspected, file).has_value());
    WeightStore store(whisper_alone());
    const Status status = read_file(store, file);
    return status ? Error{} : status.error();
  };
  WeightStore sound(whisper_alone());
  ASSERT_TRUE(read_file(sound, whisper_apr1(0).build()).has_value());

  const Error missing = error_of([](Apr1Builder& b) { b.tensors[3].name = "other"; });
  EXPECT_TRUE(missing.code == Code::missing_tensor);
  EXPECT_EQ(missing.subject.view(), "encoder.conv2.bias");
  const Error shape = error_of([](Apr1Builder& b) { b.dims[1] = 7; });
  EXPECT_TRUE(shape.code == Code::shape_mismatch);
  EXPECT_EQ(shape.subject.view(), "encoder.positional_embedding");
  const Error rows = error_of([](Apr1Builder& b) { b.dims[0] = 6; });
  EXPECT_TRUE(rows.code == Code::shape_mismatch);
  EXPECT_EQ(rows.subject.view(), "decoder.token_embedding.weight");
  const Error no_vocabulary = error_of([](Apr1Builder& b) { b.vocabulary.clear(); });
  EXPECT_TRUE(no_vocabulary.code == Code::malformed);
  EXPECT_TRUE(no_vocabulary.reason == Reason::model);
  EXPECT_EQ(no_vocabulary.subject.view(), "n_vocab");
  const Error twice = error_of(
      [](Apr1Builder& b) { b.tensors.push_back({"model.encoder.conv1.bias", {32}, Bytes(128)}); });
  EXPECT_TRUE(twice.code == Code::malformed);
  EXPECT_TRUE(twice.reason == Reason::duplicate);
  WeightStore other(whisper_alone());
  const Status not_whisper = read_file(other, json(kIndex, 1, R"({"model_type":"linear"})"));
  ASSERT_FALSE(not_whisper.has_value());
  EXPECT_TRUE(not_whisper.error().code == Code::unsupported_feature);
  EXPECT_TRUE(not_whisper.error().reason == Reason::model);
}

SUSURRUS_TEST(apr1_a_forged_index_takes_no_memory_for_weights) {
  Apr1Builder builder;
  builder.tensors = {{"a", {1u << 30}, Bytes(16)}};
  builder.tensors[0].size = uint64_t{4} << 30;
  const Bytes file = builder.build();
  for (const bool tell_length : {true, false}) {
    InspectSink sink;
    const Status status = read_file(sink, file, tell_length);
    ASSERT_FALSE(status.has_value());
    EXPECT_TRUE(status.error().code == Code::truncated_input);
  }
}

}  // namespace
}  // namespace susurrus::testing::apr1_malformed_test
