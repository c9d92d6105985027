// What a file is, from its first bytes: apr.md §8, whisper-sources.md §12, and what people drop by mistake.
#include "container/detect.h"

#include <string>

#include "container/recording_sink.h"
#include "harness.h"
#include "stream/short_crc32.h"

namespace susurrus::testing::detect_test {
namespace {

using namespace std::string_literals;

template <typename T>
std::string number(T value) {
  std::string bytes(sizeof value, '\0');
  store_le(reinterpret_cast<uint8_t*>(bytes.data()), value);
  return bytes;
}

std::string padded(std::string text, char fill = '\1') {
  text.resize(std::max(text.size(), kDetectionBytes), fill);
  return text;
}

/// Magic, version, then u32 fields from byte 8 on, filled with zeros.
std::string with_fields(const std::string& magic, uint16_t version,
                        std::initializer_list<uint32_t> fields) {
  std::string text = magic + number(version) + number<uint16_t>(0);
  for (const uint32_t field : fields) text += number(field);
  return padded(text, '\0');
}

/// apr.md §7.6
std::string aprender_header(const std::string& magic) {
  std::string text = padded(magic + "\2\0\0\0"s + number<uint32_t>(3) + number<uint64_t>(64) +
                                number<uint32_t>(0) + number<uint64_t>(128) + number<uint64_t>(192),
                            '\0');
  uint32_t crc = short_crc32(0, as_bytes(std::string_view(text).substr(0, 40)));
  crc = short_crc32(crc, as_bytes(std::string_view(text).substr(44, 20)));
  text.replace(40, 4, number(crc));
  return text;
}

std::string with_byte(std::string text, size_t at, char byte) {
  text[at] = byte;
  return text;
}

std::string ggml(uint32_t n_mels_of_filters) {
  std::string text = "lmgg";
  for (const uint32_t field : {51864, 1500, 384, 6, 4, 448, 384, 6, 4, 80, 1})
    text += number(field);
  return padded(text + number(n_mels_of_filters) + number<uint32_t>(201));
}

std::string zip(const std::string& member) {
  return padded("PK\3\4"s + std::string(22, '\0') + number<uint16_t>(member.size()) +
                number<uint16_t>(0) + member);
}

std::string apr_padded() {
  // u16 2, model_type, quantization, compressed, n_tensors, flags, then the dimensions.
  std::string text = "APR\0\2\0\0\1\0\xA7\0\3"s;
  for (const uint32_t field : {51864, 1500, 384, 6, 4, 448, 384, 6, 4, 80}) text += number(field);
  return padded(text, '\0');
}

struct Known {
  FileKind kind;
  std::string bytes;
};

const std::vector<Known>& known_files() {
  static const std::vector<Known> files = {
      {FileKind::apr2, with_fields("APR2", 2, {2, 32, 200, 232, 100, 384})},
      {FileKind::apr2, with_fields("APR2", 2, {0x7B, 64, 2, 66, 8, 128})},
      {FileKind::apr2, with_fields("APR2", 3, {2, 32, 200, 232, 100, 384})},
      {FileKind::apr2, with_fields("APR2", 2, {2, 8, 200, 232, 100, 384})},
      {FileKind::apr2, with_byte(aprender_header("APR2"), 50, 1)},
      {FileKind::json, padded("{\"tensor_shard_map\":{}}", ' ')},
      {FileKind::json, padded("\xEF\xBB\xBF \r\n\t{\"a\":1}", ' ')},
      {FileKind::apr1, with_fields("APR1", 1, {0})},
      {FileKind::apr1, with_byte(with_fields("APR1", 1, {0}), 8, 1)},
      {FileKind::apr1, with_byte(with_fields("APR1", 1, {0}), 8, 2)},
      {FileKind::apr1_json, padded("APR1\x20\0\0\0{\"v\":1}"s)},
      {FileKind::apr1_padded, apr_padded()},
      {FileKind::aprender_v2, aprender_header("APR2")},
      {FileKind::aprender_v2, aprender_header("APR\0"s)},
      {FileKind::apr_family, with_byte(aprender_header("APR\0"s), 50, 1)},
      // No Whisper has seven heads, and nothing stands where the padding is.
      {FileKind::apr_family, with_byte(apr_padded(), 24, 7)},
      {FileKind::apr_family, with_byte(apr_padded(), 63, 1)},
      {FileKind::aprender_v1, padded("APRN\1\0\0\0"s)},
      {FileKind::apr_02, padded("APR\2")},
      {FileKind::trueno, padded("APR1\x20\0\0\0[1,2]"s)},
      {FileKind::trueno, padded("APR2\x40\0\0\0{\"version\":1, \"kernels\":[]}"s, ' ')},
      {FileKind::trueno, padded("APR2\2\1\0\0[{\"shape\":[1,2]}]"s, ' ')},
      {FileKind::cookbook, with_fields("APR2", 2, {3, 64, 500, 9000, 0})},
      {FileKind::cookbook, with_fields("APR2", 2, {3, 160, 500, 9000, 1})},
      {FileKind::ggml, ggml(80)},
      {FileKind::ggml_vad, padded("lmgg"s + number<uint32_t>(10) + "silero-16k")},
      {FileKind::ggml_other, ggml(7)},
      {FileKind::ggml_old, padded("tjgg")},
      {FileKind::ggml_old, padded("fmgg")},
      {FileKind::gguf, padded("GGUF\3\0\0\0"s)},
      {FileKind::safetensors, padded("\x40\0\0\0\0\0\0\0{\"a\""s)},
      {FileKind::safetensors, padded("\x7B\x20\0\0\0\0\0\0{\"a\""s)},
      {FileKind::ctranslate2, padded("\6\0\0\0\x0c\0WhisperSpec\0"s)},
      {FileKind::ctranslate2, padded("\5\0\0\0\x0c\0WhisperSpec\0"s)},
      {FileKind::pytorch, zip("archive/data.pkl")},
      {FileKind::pytorch, zip("tiny.en/data.pkl")},
      {FileKind::npz, zip("alignment_heads.npy")},
      {FileKind::zip, zip("word/document.xml")},
      {FileKind::pickle, padded("\x80\x02}q")},
      {FileKind::pickle, padded("\x80\x04\x95")},
      {FileKind::onnx, padded("\x08\x07\x12\x07pytorch")},
      {FileKind::onnx, padded("\x08\x0a\x3a\x07graph")},
      {FileKind::tflite, padded("\x1c\0\0\0TFL3"s)},
      {FileKind::april, padded("APRILMDL")},
      {FileKind::bw2l, padded("BW2L")},
      {FileKind::tennis, padded("\7\0\0\0\x29\x09\x91\x19"s)},
      {FileKind::html, padded("<!DOCTYPE html>")},
      {FileKind::html, padded(" \n<html>")},
      {FileKind::html, padded("\xEF\xBB\xBF<?xml version")},
      {FileKind::lfs_pointer, padded("version https://git-lfs.github.com/spec/v1")},
      {FileKind::gzip, padded("\x1F\x8B\x08")},
      {FileKind::archive, padded("BZh9")},
      {FileKind::archive, padded("\xFD\x37zXZ\0"s)},
      {FileKind::archive, padded("\x28\xB5\x2F\xFD")},
      {FileKind::archive, padded("7z\xBC\xAF\x27\x1C")},
      {FileKind::archive, padded("Rar!\x1A\x07")},
      {FileKind::audio, padded("RIFF\x24\0\0\0WAVE"s)},
      {FileKind::audio, padded("RF64\xFF\xFF\xFF\xFFWAVE"s)},
      {FileKind::audio, padded("RIFX\0\0\0\x24WAVE"s)},
      {FileKind::audio, padded("ID3\4")},
      {FileKind::audio, padded("\xFF\xFB\x90")},
      {FileKind::audio, padded("\xFF\xF1\x50")},
      {FileKind::audio, padded("OggS")},
      {FileKind::audio, padded("fLaC")},
      {FileKind::audio, padded("\0\0\0\x1C"
                               "ftypM4A "s)},
      {FileKind::audio, padded("FORM\0\0\0\x24"
                               "AIFF"s)},
      {FileKind::audio, padded("caff\0\1"s)},
      {FileKind::audio, padded(".snd")},
      {FileKind::audio, padded("#!AMR\n")},
      {FileKind::audio, padded("\x1A\x45\xDF\xA3")},
      {FileKind::audio, padded("\x30\x26\xB2\x75\x8E\x66")},
      {FileKind::unknown, padded("something else")},
      {FileKind::unknown, padded("\xFF\xFE"
                                 "t\0e\0x\0t\0"s)},
      {FileKind::unknown, std::string(64, '\0')},
  };
  return files;
}

Error error_of(const std::string& text, size_t chunk_size) {
  RecordingSink sink;
  const Status status = read_file(sink, Bytes(text.begin(), text.end()), false, chunk_size);
  return status ? make_error(ErrorCode::ok, ErrorReason::none) : status.error();
}

bool has_reader(FileKind kind) {
  return kind == FileKind::apr2 || kind == FileKind::json || kind == FileKind::apr1 ||
         kind == FileKind::apr1_json || kind == FileKind::apr1_padded;
}

}  // namespace

SUSURRUS_TEST(every_kind_of_file_is_recognised) {
  for (const Known& file : known_files()) {
    const auto kind = recognise(as_bytes(file.bytes), std::nullopt);
    ASSERT_TRUE(kind.has_value());
    if (*kind != file.kind) {
      report_failure(__FILE__, __LINE__,
                     std::string(cannot_read(*kind).got.view()) + " instead of " +
                         std::string(cannot_read(file.kind).got.view()));
    }
  }
}

SUSURRUS_TEST(every_kind_has_a_file_that_is_recognised_as_it) {
  // Keys distinguish the kinds of JSON.
  for (uint8_t i = 0; i <= static_cast<uint8_t>(FileKind::unknown); ++i) {
    const FileKind kind = static_cast<FileKind>(i);
    if (kind == FileKind::hub_index || kind == FileKind::hub_config ||
        kind == FileKind::server_error || kind == FileKind::other_json) {
      continue;
    }
    bool found = false;
    for (const Known& file : known_files()) found |= file.kind == kind;
    EXPECT_TRUE(found);
  }
}

SUSURRUS_TEST(what_is_not_read_says_what_it_is_and_what_to_do_however_it_arrives) {
  for (const Known& file : known_files()) {
    if (has_reader(file.kind)) continue;
    const Error expected = cannot_read(file.kind);
    for (const size_t chunk_size : {size_t{1}, size_t{7}, ~size_t{0}}) {
      const Error error = error_of(file.bytes, chunk_size);
      EXPECT_EQ(error.code, expected.code);
      EXPECT_EQ(error.reason, expected.reason);
      EXPECT_EQ(error.offset, 0u);
      EXPECT_EQ(error.subject.view(), "file");
      EXPECT_EQ(error.got.view(), expected.got.view());
      EXPECT_EQ(error.expected.view(), expected.expected.view());
    }
    EXPECT_TRUE(expected.got.view().size() > 8 && !expected.got.view().ends_with("..."));
    EXPECT_TRUE(expected.expected.view().size() > 8 && !expected.expected.view().ends_with("..."));
  }
}

SUSURRUS_TEST(fewer_than_64_bytes_are_enough_where_the_mark_is_there) {
  for (const Known& file : known_files()) {
    // These look at fields after the first 32 bytes.
    if (file.kind == FileKind::aprender_v2 || file.kind == FileKind::cookbook ||
        file.kind == FileKind::apr1_padded || file.kind == FileKind::ggml_other ||
        file.kind == FileKind::pytorch || file.kind == FileKind::npz) {
      continue;
    }
    const auto kind = recognise(as_bytes(file.bytes).first(32), std::nullopt);
    ASSERT_TRUE(kind.has_value());
    EXPECT_EQ(static_cast<int>(*kind), static_cast<int>(file.kind));
  }
}

SUSURRUS_TEST(fewer_than_16_bytes_are_too_short_unless_they_are_json_or_bw2l) {
  for (const std::string& text : {""s, "G"s, "GGUF"s, "APR2\2\0\0\0"s, "<html></html>"s}) {
    const Error error = error_of(text, 1);
    EXPECT_EQ(error.code, ErrorCode::truncated_input);
    EXPECT_EQ(error.reason, ErrorReason::truncated);
    EXPECT_EQ(error.offset, text.size());
    EXPECT_EQ(error.subject.view(), "file");
  }
  EXPECT_EQ(error_of("{}", 1).got.view(), cannot_read(FileKind::other_json).got.view());
  EXPECT_EQ(error_of("BW2L", 1).got.view(), cannot_read(FileKind::bw2l).got.view());
}

SUSURRUS_TEST(the_length_is_used_where_it_is_known) {
  const std::string safetensors = padded("\x40\0\0\0\0\0\0\0{\"a\""s);
  EXPECT_TRUE(*recognise(as_bytes(safetensors), 72) == FileKind::safetensors);
  EXPECT_TRUE(*recognise(as_bytes(safetensors), 71) == FileKind::unknown);
  EXPECT_TRUE(*recognise(as_bytes(safetensors), std::nullopt) == FileKind::safetensors);
  EXPECT_TRUE(*recognise(as_bytes(apr_padded()), 68 + 96 * 167) == FileKind::apr1_padded);
  EXPECT_TRUE(*recognise(as_bytes(apr_padded()), 68 + 96 * 167 - 1) == FileKind::apr_family);
}

SUSURRUS_TEST(versions_of_apr_that_do_not_exist_are_told) {
  for (const std::string& text :
       {with_fields("APR1", 2, {0}), with_fields("APR1", 0, {0}), with_fields("APR\0"s, 3, {0})}) {
    const Error error = error_of(text, 1);
    EXPECT_EQ(error.code, ErrorCode::unsupported_version);
    EXPECT_EQ(error.reason, ErrorReason::version);
    EXPECT_EQ(error.offset, 4u);
    EXPECT_EQ(error.subject.view(), "version");
  }
}

SUSURRUS_TEST(a_kind_that_is_only_converted_is_named_where_models_run) {
  const std::string file = padded("APR1\x20\0\0\0{\"v\":1}"s);
  RecordingSink sink;
  DetectingReader reader(sink);
  const Status status = reader.push(as_bytes(std::string_view(file)));
  ASSERT_TRUE(!status.has_value());
  EXPECT_EQ(status.error().code, ErrorCode::unsupported_feature);
  EXPECT_EQ(status.error().reason, ErrorReason::unsupported);
  EXPECT_EQ(status.error().offset, 0u);
  EXPECT_EQ(status.error().subject.view(), "file");
  EXPECT_EQ(status.error().expected.view(), "upgrade it: susurrus upgrade FILE model.apr");
}

SUSURRUS_TEST(json_is_named_by_its_keys) {
  const auto expect_named = [](const std::string& json, FileKind kind, std::string_view detail) {
    for (const size_t chunk_size : {size_t{1}, ~size_t{0}}) {
      const Error error = error_of(json, chunk_size);
      const Error expected = cannot_read(kind, detail);
      EXPECT_EQ(error.code, expected.code);
      EXPECT_EQ(error.reason, expected.reason);
      EXPECT_EQ(error.got.view(), expected.got.view());
      EXPECT_EQ(error.expected.view(), expected.expected.view());
    }
  };
  expect_named(R"({"metadata":{"total_size":9},"weight_map":{"a":"model-00001.safetensors"}})",
               FileKind::hub_index, "");
  expect_named(R"({"architectures":["Whisper"],"d_model":384})", FileKind::hub_config, "");
  expect_named(R"({"version":"1.0","added_tokens":[]})", FileKind::hub_config, "");
  expect_named(R"({"error":"Repository not found"})", FileKind::server_error,
               ": Repository not found");
  expect_named(R"({"message":"Unauthorized"})", FileKind::server_error, ": Unauthorized");
  expect_named(R"({"a":1,"b":"some text"})", FileKind::other_json, "");
  expect_named("{\\rtf1 not JSON at all}", FileKind::other_json, "");
}

}  // namespace susurrus::testing::detect_test
