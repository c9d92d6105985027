#include "container/detect.h"

#include <algorithm>
#include <string_view>

#include "container/apr1/apr1_header.h"

namespace susurrus {
namespace {

bool begins_with(ByteSpan bytes, std::string_view prefix, size_t at = 0) {
  return bytes.size() >= at + prefix.size() && as_text(bytes.subspan(at, prefix.size())) == prefix;
}

uint8_t byte_at(ByteSpan bytes, size_t at) { return at < bytes.size() ? bytes[at] : 0; }

template <typename T>
T number_at(ByteSpan bytes, size_t at) {
  return at + sizeof(T) <= bytes.size() ? load_le<T>(bytes.data() + at) : T{};
}

bool all_zero(ByteSpan bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](uint8_t byte) { return byte == 0; });
}

Error not_a_model(std::string_view what) {
  return make_error(ErrorCode::unknown_format, ErrorReason::not_a_model)
      .at(0)
      .about("file")
      .expecting("an APR2 model")
      .having(what);
}

/// A model format that is known by name but not read: `advice` says what to do with such a file.
Error not_read(std::string_view format, std::string_view advice) {
  return make_error(ErrorCode::unsupported_feature, ErrorReason::unsupported)
      .at(0)
      .about(format)
      .expecting(advice)
      .having(format);
}

constexpr std::string_view kConvertFirst = "an APR2 model; convert this file first";
constexpr std::string_view kNeedApr2 = "an APR2 model";

/// apr.md §8, steps 2 to 13.
Result<FileFormat> detect_apr(ByteSpan bytes) {
  if (begins_with(bytes, "APRN")) return not_read("aprender v1 (APRN)", kNeedApr2);
  if (begins_with(bytes, "APR\x02")) return not_read("APR 02", kNeedApr2);
  if (begins_with(bytes, std::string_view("APR\0", 4))) {
    if (looks_like_apr1_hybrid(bytes)) return FileFormat::apr1_hybrid;
    return not_read("APR v2 of aprender (APR with a zero byte)", kNeedApr2);
  }
  const uint8_t mark = byte_at(bytes, 8);
  if (begins_with(bytes, "APR1")) {
    if (mark == '{') return FileFormat::apr1_json;
    if (number_at<uint16_t>(bytes, 4) == 1) return FileFormat::apr1;
    if (mark == '[') return not_a_model("a tuner cache of trueno");
    return make_error(ErrorCode::unsupported_version, ErrorReason::version)
        .at(4)
        .about("version")
        .expecting(1)
        .having(number_at<uint16_t>(bytes, 4));
  }
  // What follows begins with APR2. A JSON text at byte 8 sets flags that are not defined, a model never does.
  if ((mark == '{' || mark == '[') && byte_at(bytes, 9) != 0 && number_at<uint32_t>(bytes, 4) > 2) {
    return not_a_model("a tuner cache of trueno");
  }
  const uint32_t at12 = number_at<uint32_t>(bytes, 12);
  if (number_at<uint16_t>(bytes, 4) == 2 && at12 == 64 && number_at<uint32_t>(bytes, 16) == 0 &&
      bytes.size() >= kDetectionBytes && all_zero(bytes.subspan(44, 20))) {
    return not_read("APR v2 of aprender", kNeedApr2);
  }
  if (number_at<uint16_t>(bytes, 4) == 2 && (at12 == 64 || at12 == 160) &&
      bytes.size() >= kDetectionBytes && all_zero(bytes.subspan(25, 39))) {
    return not_a_model("a bundle of apr-cookbook");
  }
  return FileFormat::apr2;
}

/// Length field of a protobuf message that can begin an ONNX file: field 1 (ir_version), then field 2, 7 or 8.
bool looks_like_onnx(ByteSpan bytes) {
  const uint8_t next = byte_at(bytes, 2);
  return byte_at(bytes, 0) == 0x08 && byte_at(bytes, 1) < 0x20 && byte_at(bytes, 1) > 0 &&
         (next == 0x12 || next == 0x3A || next == 0x42);
}

bool is_wave_audio(ByteSpan bytes) {
  const bool is_mpeg_sync = byte_at(bytes, 0) == 0xFF && (byte_at(bytes, 1) & 0xE0) == 0xE0;
  return begins_with(bytes, "RIFF") || begins_with(bytes, "RF64") || begins_with(bytes, "ID3") ||
         begins_with(bytes, "OggS") || begins_with(bytes, "fLaC") ||
         begins_with(bytes, "ftyp", 4) || is_mpeg_sync;
}

bool is_safetensors(ByteSpan bytes, std::optional<uint64_t> file_byte_count) {
  const uint64_t header = number_at<uint64_t>(bytes, 0);
  const uint64_t limit =
      file_byte_count && *file_byte_count >= 8 ? *file_byte_count - 8 : 1ull << 32;
  return byte_at(bytes, 8) == '{' && header >= 2 && header <= limit;
}

/// The first byte behind a byte order mark and white space.
uint8_t first_mark(ByteSpan bytes) {
  size_t at = begins_with(bytes, "\xEF\xBB\xBF") ? 3 : 0;
  while (at < bytes.size() && (bytes[at] == ' ' || (bytes[at] >= 9 && bytes[at] <= 13))) ++at;
  return byte_at(bytes, at);
}

}  // namespace

Result<FileFormat> detect_format(ByteSpan bytes, std::optional<uint64_t> file_byte_count) {
  if (bytes.size() < kMinimumDetectionBytes) {
    return make_error(ErrorCode::truncated_input, ErrorReason::truncated)
        .at(bytes.size())
        .about("file")
        .expecting("at least 16 bytes")
        .having(bytes.size());
  }
  if (begins_with(bytes, "APRILMDL")) return not_read("april", kNeedApr2);
  if (begins_with(bytes, "APR")) {
    const uint8_t fourth = byte_at(bytes, 3);
    if (fourth == '1' || fourth == '2' || fourth == 'N' || fourth == 0 || fourth == 2) {
      return detect_apr(bytes);
    }
  }
  if (begins_with(bytes, "GGUF")) return not_read("GGUF", kConvertFirst);
  if (begins_with(bytes, "lmgg")) return not_read("ggml", kConvertFirst);
  if (begins_with(bytes, "tjgg") || begins_with(bytes, "fmgg")) {
    return not_read("an old ggml container", kNeedApr2);
  }
  if (begins_with(bytes, "PK\x03\x04")) {
    return not_a_model("a zip archive (a PyTorch checkpoint or npz must be converted first)");
  }
  if (is_safetensors(bytes, file_byte_count)) return not_read("SafeTensors", kConvertFirst);
  if (number_at<uint16_t>(bytes, 4) == 12 && begins_with(bytes, "WhisperSpec", 6)) {
    return not_read("CTranslate2", kConvertFirst);
  }
  if (begins_with(bytes, "BW2L")) return not_read("bw2l", kNeedApr2);
  if (begins_with(bytes, "version https://git-lfs")) {
    return not_a_model("a Git LFS pointer: fetch the file itself");
  }
  if (begins_with(bytes, "\x1F\x8B")) return not_a_model("a gzip archive");
  if (begins_with(bytes, "\x80\x02")) return not_a_model("a Python pickle");
  if (is_wave_audio(bytes)) return not_a_model("an audio file");
  if (looks_like_onnx(bytes)) return not_read("ONNX", kNeedApr2);
  switch (first_mark(bytes)) {
    case '<': return not_a_model("an HTML or XML page");
    case '{': return not_a_model("a JSON text");
  }
  if (number_at<uint32_t>(bytes, 4) == 0x19910929) return not_read("tennis", kNeedApr2);
  return not_a_model("unknown bytes (files encrypted by whisper.apr have no mark of their own)");
}

}  // namespace susurrus
