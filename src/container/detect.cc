#include "container/detect.h"

#include <algorithm>
#include <string>

#include "base/limits.h"
#include "container/apr1/apr1_header.h"
#include "container/read_error.h"
#include "facts/whisper.h"
#include "stream/short_crc32.h"

namespace susurrus {
namespace {

enum class KindClass : uint8_t { read, checkpoint, network, unsupported, not_whisper, not_a_model };

struct KindRow {
  KindClass kind_class;
  const char* what;
  const char* what_to_do;
};

constexpr KindRow kKinds[] = {
#define SUSURRUS_FILE_KIND(name, kind_class, what, what_to_do) \
  {KindClass::kind_class, what, what_to_do},
#include "facts/file_kinds.inc"
#undef SUSURRUS_FILE_KIND
};

struct Mark {
  uint8_t at;
  std::string_view bytes;
  FileKind kind;
};

using namespace std::string_view_literals;

/// What a few fixed bytes tell. Formats whose bytes need a closer look are not here.
constexpr Mark kMarks[] = {
#define SUSURRUS_FILE_MARK(at, bytes, kind) {at, bytes, FileKind::kind},
#include "facts/file_marks.inc"
#undef SUSURRUS_FILE_MARK
};

bool begins_with(ByteSpan bytes, std::string_view prefix, size_t at = 0) {
  return bytes.size() >= at + prefix.size() && as_text(bytes.subspan(at, prefix.size())) == prefix;
}

uint8_t byte_at(ByteSpan bytes, size_t at) { return at < bytes.size() ? bytes[at] : 0; }

template <typename T>
T load_le_or_zero(ByteSpan bytes, size_t at) {
  return at + sizeof(T) <= bytes.size() ? load_le<T>(bytes.data() + at) : T{};
}

/// APR2's specification: metadata, index and data follow in this order, none of them empty.
bool has_ordered_sections(ByteSpan bytes) {
  const uint64_t metadata = load_le_or_zero<uint32_t>(bytes, 12);
  const uint64_t metadata_size = load_le_or_zero<uint32_t>(bytes, 16);
  const uint64_t index = load_le_or_zero<uint32_t>(bytes, 20);
  const uint64_t index_end = index + load_le_or_zero<uint32_t>(bytes, 24);
  return metadata >= 32 && metadata_size >= 2 && metadata + metadata_size <= index &&
         index_end <= load_le_or_zero<uint32_t>(bytes, 28);
}

/// The 64-byte header of aprender's APR v2 has a checksum of its own (apr.md §7.6).
bool has_aprender_header(ByteSpan bytes) {
  if (bytes.size() < 64 || load_le_or_zero<uint64_t>(bytes, 12) != 64) return false;
  const uint32_t crc = short_crc32(short_crc32(0, bytes.first(40)), bytes.subspan(44, 20));
  return crc == load_le_or_zero<uint32_t>(bytes, 40);
}

/// apr.md §7.5: APR1's fields after another magic, all within what Whisper has.
bool is_padded_apr1(ByteSpan bytes, std::optional<uint64_t> file_byte_count) {
  const uint64_t tensor_count = load_le_or_zero<uint16_t>(bytes, 9);
  return tensor_count > 0 && looks_like_apr1_padded(bytes) &&
         (!file_byte_count ||
          kApr1PaddedBytes + kApr1EntryBytes * tensor_count <= *file_byte_count);
}

Error wrong_version(ByteSpan bytes, uint64_t expected) {
  return make_error(ErrorCode::unsupported_version, ErrorReason::version)
      .at(4)
      .with_subject("version")
      .with_expected(expected)
      .with_got(load_le_or_zero<uint16_t>(bytes, 4));
}

/// apr.md §8, steps 2 to 12, for the fourth byte '1', '2' or 0.
Result<FileKind> recognise_apr(ByteSpan bytes, std::optional<uint64_t> file_byte_count) {
  const uint16_t version = load_le_or_zero<uint16_t>(bytes, 4);
  const uint8_t mark = byte_at(bytes, 8);
  switch (byte_at(bytes, 3)) {
    case '1':
      if (mark == '{') return FileKind::apr1_json;
      if (version == 1) return FileKind::apr1;
      if (mark == '[') return FileKind::trueno;
      return wrong_version(bytes, 1);
    case 0:
      if (version != 2) return wrong_version(bytes, 2);
      if (has_aprender_header(bytes)) return FileKind::aprender_v2;
      return is_padded_apr1(bytes, file_byte_count) ? FileKind::apr1_padded : FileKind::apr_family;
  }
  if (has_ordered_sections(bytes)) return FileKind::apr2;
  // A JSON text at byte 8 sets flags that are not defined.
  if ((mark == '{' || mark == '[') && byte_at(bytes, 9) != 0 &&
      load_le_or_zero<uint32_t>(bytes, 4) > 2) {
    return FileKind::trueno;
  }
  if (version != 2) return FileKind::apr2;  // whose reader says so
  if (load_le_or_zero<uint32_t>(bytes, 16) == 0 && has_aprender_header(bytes)) {
    return FileKind::aprender_v2;
  }
  const uint32_t index_offset = load_le_or_zero<uint32_t>(bytes, 12);
  const ByteSpan rest = bytes.subspan(std::min<size_t>(25, bytes.size()));
  if ((index_offset == 64 || index_offset == 160) && bytes.size() >= 64 &&
      std::all_of(rest.begin(), rest.end(), [](uint8_t byte) { return byte == 0; })) {
    return FileKind::cookbook;
  }
  return FileKind::apr2;  // damaged or cut, which its reader tells
}

/// whisper-sources.md §6: other models of whisper.cpp begin like Whisper's.
FileKind recognise_ggml(ByteSpan bytes) {
  if (begins_with(bytes, "silero", 8)) return FileKind::ggml_vad;
  const bool is_whisper =
      bytes.size() < 56 ||
      (load_le_or_zero<uint32_t>(bytes, 12) == load_le_or_zero<uint32_t>(bytes, 28) &&
       load_le_or_zero<uint32_t>(bytes, 40) == load_le_or_zero<uint32_t>(bytes, 48) &&
       load_le_or_zero<uint32_t>(bytes, 52) == kFrequencyBins);
  return is_whisper ? FileKind::ggml : FileKind::ggml_other;
}

/// By its first member's name, at byte 30.
FileKind recognise_zip(ByteSpan bytes) {
  const size_t name_size = std::min<size_t>(load_le_or_zero<uint16_t>(bytes, 26), bytes.size());
  const std::string_view name =
      as_text(bytes).substr(std::min<size_t>(30, bytes.size()), name_size);
  if (name.find("/data.pkl") != std::string_view::npos) return FileKind::pytorch;
  return name.ends_with(".npy") ? FileKind::npz : FileKind::zip;
}

bool is_safetensors(ByteSpan bytes, std::optional<uint64_t> file_byte_count) {
  const uint64_t header = load_le_or_zero<uint64_t>(bytes, 0);
  const uint64_t limit = file_byte_count ? std::max<uint64_t>(*file_byte_count, 8) - 8
                                         : limits::kSafetensorsHeaderBytes;
  return byte_at(bytes, 8) == '{' && header >= 2 && header <= limit;
}

/// A protobuf message that begins with field 1 (ir_version), then field 2, 7 or 8.
bool is_onnx(ByteSpan bytes) {
  const uint8_t next = byte_at(bytes, 2);
  return byte_at(bytes, 0) == 0x08 && byte_at(bytes, 1) < 0x20 && byte_at(bytes, 1) > 0 &&
         (next == 0x12 || next == 0x3A || next == 0x42);
}

/// The sync word of MPEG audio; FF FE is a byte order mark.
bool is_mpeg_audio(ByteSpan bytes) {
  return byte_at(bytes, 0) == 0xFF && (byte_at(bytes, 1) & 0xE0) == 0xE0 &&
         byte_at(bytes, 1) != 0xFE;
}

/// The first byte after a byte order mark and white space.
uint8_t first_mark(ByteSpan bytes) {
  size_t at = begins_with(bytes, "\xEF\xBB\xBF") ? 3 : 0;
  while (at < bytes.size() && (bytes[at] == ' ' || (bytes[at] >= 9 && bytes[at] <= 13))) ++at;
  return byte_at(bytes, at);
}

}  // namespace

Result<FileKind> recognise(ByteSpan bytes, std::optional<uint64_t> file_byte_count) {
  const uint8_t mark = first_mark(bytes);
  if (bytes.size() < kMinimumDetectionBytes) {
    if (mark == '{') return FileKind::json;
    // One without sections has 14 bytes.
    if (begins_with(bytes, "BW2L")) return FileKind::bw2l;
    return truncated(bytes.size(), "file")
        .with_expected("at least 16 bytes")
        .with_got(bytes.size());
  }
  if (begins_with(bytes, "APR1") || begins_with(bytes, "APR2") || begins_with(bytes, "APR\0"sv)) {
    return recognise_apr(bytes, file_byte_count);
  }
  if (begins_with(bytes, "PK\x03\x04")) return recognise_zip(bytes);
  if (is_safetensors(bytes, file_byte_count)) return FileKind::safetensors;
  for (const Mark& known : kMarks) {
    if (!begins_with(bytes, known.bytes, known.at)) continue;
    return known.kind == FileKind::ggml ? recognise_ggml(bytes) : known.kind;
  }
  // Python's protocols 2 to 5, each ending in a dot.
  if (byte_at(bytes, 0) == 0x80 && byte_at(bytes, 1) >= 2 && byte_at(bytes, 1) <= 5) {
    return FileKind::pickle;
  }
  if (is_mpeg_audio(bytes)) return FileKind::audio;
  if (is_onnx(bytes)) return FileKind::onnx;
  if (mark == '<') return FileKind::html;
  if (mark == '{') return FileKind::json;
  if (load_le_or_zero<uint32_t>(bytes, 4) == 0x19910929) return FileKind::tennis;
  return FileKind::unknown;
}

bool is_checkpoint(FileKind kind) {
  return kKinds[static_cast<size_t>(kind)].kind_class == KindClass::checkpoint;
}

Error cannot_read(FileKind kind, std::string_view detail) {
  const KindRow& row = kKinds[static_cast<size_t>(kind)];
  const bool is_model = row.kind_class != KindClass::not_a_model;
  const ErrorReason reason = row.kind_class == KindClass::not_a_model   ? ErrorReason::not_a_model
                             : row.kind_class == KindClass::not_whisper ? ErrorReason::model
                                                                        : ErrorReason::unsupported;
  return make_error(is_model ? ErrorCode::unsupported_feature : ErrorCode::unknown_format, reason)
      .at(0)
      .with_subject("file")
      .with_expected(row.what_to_do)
      .with_got(std::string(row.what) + std::string(detail));
}

}  // namespace susurrus
