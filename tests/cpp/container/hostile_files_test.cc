// What files of this field are attacked with, for each reader that has no case of it in its own suite: names that steer a
// terminal or look like paths, counts in the billions, offsets that wrap, deep JSON.
#include "container/apr2/apr2_header.h"
#include "container/checkpoint_pieces.h"
#include "container/ctranslate2_builder.h"
#include "container/ggml_builder.h"
#include "container/gguf_builder.h"
#include "container/recording_sink.h"
#include "container/shards_builder.h"
#include "harness.h"

namespace susurrus::testing::hostile_files_test {
namespace {

using Code = ErrorCode;
using Reason = ErrorReason;

/// One tensor of two floats, as JSON writes its name.
Bytes safetensors(std::string_view name, std::string_view offsets = "0,8",
                  std::string_view metadata = "{}") {
  const std::string json = "{\"__metadata__\":" + std::string(metadata) + ",\"" +
                           std::string(name) + R"(":{"dtype":"F32","shape":[2],"data_offsets":[)" +
                           std::string(offsets) + "]}}";
  Bytes file;
  append_number<uint64_t>(file, json.size());
  append_text(file, json);
  file.resize(file.size() + 8);
  return file;
}

const std::string kMetadata = tiny_metadata();
/// Offsets of an APR2 file's tensor count and of its first tensor.
const uint64_t kIndex = kApr2HeaderBytes + kMetadata.size();
const uint64_t kEntry = kIndex + kApr2IndexHeaderBytes;

Apr2Builder apr2(std::string name) {
  Apr2Builder builder;
  builder.metadata = kMetadata;
  BuiltTensor tensor;
  tensor.name = std::move(name);
  tensor.dims = {2};
  tensor.stored = Bytes(8, 1);
  builder.tensors.push_back(tensor);
  return builder;
}

void expect_model_error(const Bytes& file, Code code, Reason reason, uint64_t offset,
                        std::string_view subject) {
  for (const bool tells_length : {true, false}) {
    for (const size_t piece : {size_t{1}, size_t{1000}}) {
      RecordingSink sink;
      const Status status = read_file(sink, file, tells_length, piece);
      ASSERT_FALSE(status.has_value());
      EXPECT_EQ(error_code_name(status.error().code), error_code_name(code));
      EXPECT_EQ(error_reason_name(status.error().reason), error_reason_name(reason));
      EXPECT_EQ(status.error().offset, offset);
      EXPECT_EQ(status.error().subject.view(), subject);
    }
  }
}

const std::string kSteering[] = {"a\nb", "\x1B[2J", "a\x7F", "\xC2\x9B", std::string("a\0b", 3)};

}  // namespace

SUSURRUS_TEST(tensor_names_that_steer_a_terminal_are_refused) {
  EXPECT_TRUE(read_checkpoint(safetensors("a b")).has_value());
  for (const char* name : {"a\\nb", "\\u001b[2J", "a\x7F", "\\u009b", "a\\u0000b"}) {
    expect_read_error(safetensors(name), Code::malformed, Reason::bad_name, 8, "name");
  }
  for (const std::string& name : kSteering) {
    GgufFile gguf;
    gguf.tensors[1].name = name;
    expect_read_error(gguf.build(), Code::malformed, Reason::bad_name, gguf.tensor_offset(1) + 8,
                      "tensor name");
    GgmlFile ggml;
    ggml.tensors[0].name = name;
    EXPECT_EQ(read_checkpoint(ggml.build()).error().reason, Reason::bad_name);
    CTranslate2File ctranslate2;
    ctranslate2.variables[3].name = name;
    EXPECT_EQ(read_checkpoint(ctranslate2.build()).error().reason, Reason::bad_name);
    expect_model_error(apr2(name).build(), Code::malformed, Reason::bad_name, kEntry, "name");
  }
}

SUSURRUS_TEST(tensor_names_like_paths_are_names) {
  const std::string path = "../../.ssh/config";
  const auto found = read_checkpoint(safetensors(path));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->tensors[0].info.name, path);
  GgufFile gguf;
  gguf.tensors.push_back({path, {2}, 0, 8});
  ASSERT_TRUE(read_checkpoint(gguf.build()).has_value());
  RecordingSink sink;
  ASSERT_TRUE(read_file(sink, apr2(path).build()).has_value());
  EXPECT_TRUE(sink.tensors.contains(path));
}

SUSURRUS_TEST(counts_in_the_billions_are_refused_at_once) {
  const std::string name = "a";
  for (const int64_t count : {int64_t{0x7FFFFFFF}, int64_t{0xFFFFFFFF}}) {
    Apr2Builder builder = apr2(name);
    builder.tensor_count = count;
    expect_model_error(builder.build(), Code::malformed, Reason::bad_index, kIndex, "tensor_count");
    CTranslate2File ctranslate2;
    ctranslate2.variable_count = count;
    expect_read_error(ctranslate2.build(), Code::malformed, Reason::bad_index, 22,
                      "variable count");
    GgufFile gguf;
    gguf.tensor_count = count;
    expect_read_error(gguf.build(), Code::malformed, Reason::bad_index, 8, "tensor_count");
    gguf.tensor_count = -1;
    gguf.key_count = count;
    expect_read_error(gguf.build(), Code::malformed, Reason::bad_index, 16, "kv_count");
  }
  GgmlFile ggml;
  ggml.token_count = 0x7FFFFFFF;
  expect_read_error(ggml.build(), Code::malformed, Reason::bad_vocabulary, 56 + 80 * 201 * 4,
                    "token count");
}

SUSURRUS_TEST(offsets_that_wrap_are_refused) {
  // Offsets that wrap would put a tensor at the file's beginning.
  for (const char* offsets : {"18446744073709551608,18446744073709551615", "18446744073709551608,0",
                              "8,0", "0,18446744073709551615"}) {
    expect_read_error(safetensors("a", offsets), Code::malformed, Reason::bounds, 8, "a");
  }
  // 2^64 does not fit into 64 bits.
  expect_read_error(safetensors("a", "18446744073709551608,18446744073709551616"), Code::malformed,
                    Reason::bad_metadata, 8, "a");
  for (const int64_t offset : {int64_t{0x7FFFFFFFFFFFFFE0}, int64_t{0x4000000000000000}}) {
    GgufFile gguf;
    gguf.tensors[1].offset = offset;
    expect_read_error(gguf.build(), Code::malformed, Reason::layout, gguf.ne_offset(1) + 12,
                      gguf.tensors[1].name);
  }
  for (const uint64_t offset : {~uint64_t{63}, ~uint64_t{0}}) {
    Apr2Builder builder = apr2("a");
    builder.edit_file = [=](Bytes& file) {
      store_le(file.data() + kEntry + 2 + 1 + 2 + 8, offset);
    };
    expect_model_error(builder.build(), Code::malformed, Reason::bounds, kEntry, "a");
  }
}

SUSURRUS_TEST(tensors_that_overlap_are_refused) {
  Apr2Builder builder = apr2("a");
  builder.tensors.push_back(builder.tensors[0]);
  builder.tensors[1].name = "b";
  RecordingSink sink;
  ASSERT_TRUE(read_file(sink, builder.build()).has_value());
  builder.tensors[1].offset = 0;
  RecordingSink twice;
  const Status status = read_file(twice, builder.build());
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().reason, Reason::layout);
  GgufFile gguf;
  gguf.tensors[2].offset = 15360;
  expect_read_error(gguf.build(), Code::malformed, Reason::layout, gguf.ne_offset(2) + 12,
                    gguf.tensors[2].name);
}

SUSURRUS_TEST(deep_json_is_refused_wherever_it_is_read) {
  const auto nested = [](size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  // Two objects are around it.
  EXPECT_TRUE(read_checkpoint(safetensors("a", "0,8", "{\"x\":" + nested(62) + "}")).has_value());
  for (const size_t depth : {size_t{63}, size_t{1} << 20}) {
    const Error error =
        read_checkpoint(safetensors("a", "0,8", "{\"x\":" + nested(depth) + "}")).error();
    EXPECT_EQ(error_reason_name(error.reason), error_reason_name(Reason::bad_metadata));
    Apr2Builder builder = apr2("a");
    builder.metadata.insert(1, "\"x\":" + nested(depth + 1) + ",");
    RecordingSink sink;
    EXPECT_EQ(read_file(sink, builder.build()).error().reason, Reason::bad_metadata);
    RecordingSink sharded;
    const std::string manifest = "{\"shards\":" + nested(depth + 1) + "}";
    EXPECT_EQ(read_file(sharded, Bytes(manifest.begin(), manifest.end())).error().reason,
              Reason::manifest);
  }
}

}  // namespace susurrus::testing::hostile_files_test
