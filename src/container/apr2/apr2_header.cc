#include "container/apr2/apr2_header.h"

#include <string>

#include "base/append.h"
#include "base/byte_cursor.h"
#include "base/limits.h"
#include "container/apr2/apr2_flags.h"
#include "container/read_error.h"

namespace susurrus {
namespace {

// Offsets of the fields, for errors.
enum : uint64_t {
  kVersionAt = 4,
  kFlagsAt = 8,
  kMetadataOffsetAt = 12,
  kMetadataSizeAt = 16,
  kIndexOffsetAt = 20,
  kIndexSizeAt = 24,
  kDataOffsetAt = 28,
};

struct Section {
  const char* name;
  uint64_t field_offset;
  uint64_t begin;
  uint64_t end;
};

}  // namespace

Result<Apr2Header> parse_apr2_header(ByteSpan bytes) {
  ByteCursor cursor(bytes);
  if (as_text(cursor.take(kApr2Magic.size())) != kApr2Magic) {
    return make_error(ErrorCode::unknown_format, ErrorReason::not_a_model)
        .at(0)
        .with_subject("magic");
  }
  Apr2Header header;
  header.version_major = cursor.u16();
  header.version_minor = cursor.u16();
  header.flags = cursor.u32();
  header.metadata_offset = cursor.u32();
  header.metadata_byte_count = cursor.u32();
  header.index_offset = cursor.u32();
  header.index_byte_count = cursor.u32();
  header.data_offset = cursor.u32();
  if (cursor.failed()) {
    return truncated(bytes.size(), "header").with_expected(kApr2HeaderBytes).with_got(bytes.size());
  }
  if (header.version_major != 2) {
    return make_error(ErrorCode::unsupported_version, ErrorReason::version)
        .at(kVersionAt)
        .with_subject("version_major")
        .with_expected(2)
        .with_got(header.version_major);
  }
  if (header.flags & ~apr2_flags::kKnown) {
    return make_error(ErrorCode::unsupported_feature, ErrorReason::unsupported_flag)
        .at(kFlagsAt)
        .with_subject("flags")
        .with_expected("no flag but bits 0 to 7")
        .with_got(header.flags);
  }
  if (header.metadata_byte_count == 0 || header.metadata_byte_count > limits::kMetadataBytes) {
    return make_error(ErrorCode::limit_exceeded, ErrorReason::limit)
        .at(kMetadataSizeAt)
        .with_subject("metadata_size")
        .with_expected("1 to " + std::to_string(limits::kMetadataBytes))
        .with_got(header.metadata_byte_count);
  }
  if (header.index_byte_count < kApr2IndexHeaderBytes) {
    return malformed(ErrorReason::bad_index, kIndexSizeAt, "index_size")
        .with_expected("at least 8")
        .with_got(header.index_byte_count);
  }
  for (const Section& section :
       {Section{"metadata_offset", kMetadataOffsetAt, header.metadata_offset, 0},
        Section{"index_offset", kIndexOffsetAt, header.index_offset, 0},
        Section{"data_offset", kDataOffsetAt, header.data_offset, 0}}) {
    if (section.begin < kApr2HeaderBytes) {
      return malformed(ErrorReason::bounds, section.field_offset, section.name)
          .with_expected("at least 32")
          .with_got(section.begin);
    }
  }
  return header;
}

Status check_apr2_sections_fit(const Apr2Header& header, uint64_t file_byte_count) {
  const uint64_t end = file_byte_count < kApr2FooterBytes ? 0 : file_byte_count - kApr2FooterBytes;
  for (const Section& section :
       {Section{"metadata", kMetadataOffsetAt, header.metadata_offset, header.metadata_end()},
        Section{"index", kIndexOffsetAt, header.index_offset, header.index_end()},
        Section{"data_offset", kDataOffsetAt, header.data_offset, header.data_offset}}) {
    if (section.end > end) {
      return malformed(ErrorReason::bounds, section.field_offset, section.name)
          .with_expected("an end of at most " + std::to_string(end))
          .with_got(section.end);
    }
  }
  return ok_status();
}

Status check_apr2_section_order(const Apr2Header& header) {
  if (header.metadata_end() > header.index_offset) {
    return malformed(ErrorReason::layout, kIndexOffsetAt, "index_offset")
        .with_expected("at least the end of the metadata, " + std::to_string(header.metadata_end()))
        .with_got(header.index_offset);
  }
  if (header.index_end() > header.data_offset) {
    return malformed(ErrorReason::layout, kDataOffsetAt, "data_offset")
        .with_expected("at least the end of the index, " + std::to_string(header.index_end()))
        .with_got(header.data_offset);
  }
  if (header.index_byte_count > limits::kIndexBytes) {
    return make_error(ErrorCode::limit_exceeded, ErrorReason::limit)
        .at(kIndexSizeAt)
        .with_subject("index_size")
        .with_expected("at most " + std::to_string(limits::kIndexBytes))
        .with_got(header.index_byte_count);
  }
  return ok_status();
}

std::vector<uint8_t> encode_apr2_header(const Apr2Header& header) {
  std::vector<uint8_t> out;
  append(out, kApr2Magic);
  append<uint16_t>(out, header.version_major);
  append<uint16_t>(out, header.version_minor);
  append<uint32_t>(out, header.flags);
  append<uint32_t>(out, header.metadata_offset);
  append<uint32_t>(out, header.metadata_byte_count);
  append<uint32_t>(out, header.index_offset);
  append<uint32_t>(out, header.index_byte_count);
  append<uint32_t>(out, header.data_offset);
  return out;
}

std::vector<uint8_t> encode_apr2_footer(const Apr2Footer& footer) {
  std::vector<uint8_t> out;
  append<uint32_t>(out, footer.crc32);
  append(out, kApr2FooterMagic);
  append<uint64_t>(out, footer.file_byte_count);
  return out;
}

std::optional<Apr2Footer> parse_apr2_footer(ByteSpan bytes) {
  ByteCursor cursor(bytes);
  Apr2Footer footer;
  footer.crc32 = cursor.u32();
  if (as_text(cursor.take(kApr2FooterMagic.size())) != kApr2FooterMagic) return std::nullopt;
  footer.file_byte_count = cursor.u64();
  if (cursor.failed()) return std::nullopt;
  return footer;
}

}  // namespace susurrus
