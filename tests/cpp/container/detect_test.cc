#include "container/detect.h"

#include <string>

#include "harness.h"

namespace susurrus::testing {
namespace {

std::string padded(std::string text) {
  text.resize(kDetectionBytes, '\1');
  return text;
}

Error detect_error(const std::string& text) {
  auto format = detect_format(as_bytes(text), std::nullopt);
  return format ? make_error(ErrorCode::ok, ErrorReason::none) : format.error();
}

void expect_kind(const std::string& text, ErrorCode code, std::string_view word) {
  const Error error = detect_error(padded(text));
  EXPECT_EQ(error.code, code);
  const std::string said = std::string(error.subject.view()) + " " + std::string(error.got.view());
  if (said.find(word) == std::string::npos) {
    report_failure(__FILE__, __LINE__, said + " does not say " + std::string(word));
  }
}

}  // namespace

SUSURRUS_TEST(formats_that_are_not_read_are_named) {
  const ErrorCode code = ErrorCode::unsupported_feature;
  expect_kind("GGUF\3", code, "GGUF");
  expect_kind("lmgg", code, "ggml");
  expect_kind("tjgg", code, "ggml");
  expect_kind(std::string("\x40\0\0\0\0\0\0\0{\"a\"", 12), code, "SafeTensors");
  expect_kind(std::string("\6\0\0\0\x0c\0WhisperSpec\0", 18), code, "CTranslate2");
  expect_kind(std::string("APR\0\2\0", 6), code, "aprender");
  expect_kind("APRN", code, "APRN");
  expect_kind("APRILMDL", code, "april");
  expect_kind("BW2L", code, "bw2l");
  expect_kind("\x08\x07\x12\x07pytorch", code, "ONNX");
  expect_kind(std::string("\7\0\0\0\x29\x09\x91\x19", 8), code, "tennis");
  std::string aprender("APR2\2\0", 6);
  aprender.resize(kDetectionBytes, '\0');
  aprender[12] = 64;
  EXPECT_EQ(detect_error(aprender).code, code);
}

SUSURRUS_TEST(what_is_no_model_is_named) {
  const ErrorCode code = ErrorCode::unknown_format;
  expect_kind("<!DOCTYPE html>", code, "HTML");
  expect_kind(" \n<html>", code, "HTML");
  expect_kind("version https://git-lfs.github.com/spec/v1", code, "LFS");
  expect_kind("\x1F\x8B\x08", code, "gzip");
  expect_kind("PK\3\4", code, "zip");
  expect_kind("\x80\x02}q", code, "pickle");
  expect_kind("RIFF____WAVE", code, "audio");
  expect_kind("ID3\4", code, "audio");
  expect_kind("\xFF\xFB\x90", code, "audio");
  expect_kind("OggS", code, "audio");
  expect_kind("fLaC", code, "audio");
  expect_kind("____ftypM4A ", code, "audio");
  expect_kind("{\"weight_map\":{}}", code, "JSON");
  expect_kind("something else", code, "unknown");
  std::string cookbook("APR2\2\0", 6);
  cookbook.resize(kDetectionBytes, '\0');
  cookbook[12] = 64;
  cookbook[16] = 100;
  EXPECT_EQ(detect_error(cookbook).code, code);
  expect_kind(std::string("APR2\x40\0\0\0{\"v\"", 12), code, "trueno");
  expect_kind(std::string("APR1\x40\0\0\0[1,2", 12), code, "trueno");
}

SUSURRUS_TEST(layouts_of_apr1_are_told_apart) {
  const auto format = [](std::string bytes) {
    const auto found = detect_format(as_bytes(padded(std::move(bytes))), std::nullopt);
    return found ? *found : FileFormat::apr2;
  };
  EXPECT_TRUE(format(std::string("APR1\1\0\0\0\0", 9)) == FileFormat::apr1);
  EXPECT_TRUE(format(std::string("APR1\1\0\0\0\2", 9)) == FileFormat::apr1);
  EXPECT_TRUE(format(std::string("APR1\x20\0\0\0{", 9)) == FileFormat::apr1_json);
  std::string hybrid("APR\0\2\0\0\0\0\1\0\0", 12);
  for (const uint32_t dim : {51865, 1500, 384, 6, 4, 448, 384, 6, 4, 80}) {
    hybrid.append(reinterpret_cast<const char*>(&dim), sizeof dim);
  }
  // Bytes where the padding is, or dimensions that fit no Whisper, are another format's.
  EXPECT_EQ(detect_error(padded(hybrid)).code, ErrorCode::unsupported_feature);
  hybrid.resize(kDetectionBytes);
  EXPECT_TRUE(format(hybrid) == FileFormat::apr1_hybrid);
  hybrid[24] = 7;
  EXPECT_EQ(detect_error(padded(hybrid)).code, ErrorCode::unsupported_feature);
}

SUSURRUS_TEST(apr2_is_found_and_versions_are_told) {
  EXPECT_TRUE(
      detect_format(as_bytes(padded(std::string("APR2\2\0\0\0", 8))), std::nullopt).has_value());
  EXPECT_EQ(detect_error(padded(std::string("APR1\2\0\0\0", 8))).code,
            ErrorCode::unsupported_version);
  EXPECT_EQ(detect_error("GGUF").code, ErrorCode::truncated_input);
  EXPECT_EQ(detect_error("").code, ErrorCode::truncated_input);
}

}  // namespace susurrus::testing
