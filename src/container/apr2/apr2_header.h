#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace susurrus {

inline constexpr uint64_t kApr2HeaderBytes = 32;
inline constexpr uint64_t kApr2FooterBytes = 16;
inline constexpr uint64_t kApr2IndexHeaderBytes = 8;
/// Header, "{}", an empty index, footer.
inline constexpr uint64_t kApr2MinimumBytes =
    kApr2HeaderBytes + 2 + kApr2IndexHeaderBytes + kApr2FooterBytes;
/// What whisper.apr's `sign` command appends to a finished file (apr.md §6).
inline constexpr uint64_t kTrailingSignatureBytes = 96;
inline constexpr std::string_view kApr2Magic = "APR2";
inline constexpr std::string_view kApr2FooterMagic = "2RPA";

struct Apr2Header {
  uint16_t version_major = 0;
  uint16_t version_minor = 0;
  uint32_t flags = 0;
  uint32_t metadata_offset = 0;
  uint32_t metadata_byte_count = 0;
  uint32_t index_offset = 0;
  uint32_t index_byte_count = 0;
  uint32_t data_offset = 0;

  bool has(uint32_t flag) const { return (flags & flag) != 0; }
  uint64_t metadata_end() const { return uint64_t{metadata_offset} + metadata_byte_count; }
  uint64_t index_end() const { return uint64_t{index_offset} + index_byte_count; }
};

/// Reads the 32 bytes and rejects what is wrong with them by themselves: magic, version, flags, sizes.
Result<Apr2Header> parse_apr2_header(ByteSpan bytes);
/// Every section lies in [32, file_byte_count - 16] (apr.md §10, case 37).
Status check_apr2_sections_fit(const Apr2Header& header, uint64_t file_byte_count);
/// Sections are in order and do not overlap (case 38).
Status check_apr2_section_order(const Apr2Header& header);

/// The 32 bytes, as parse_apr2_header() reads them.
std::vector<uint8_t> encode_apr2_header(const Apr2Header& header);

struct Apr2Footer {
  uint32_t crc32 = 0;
  uint64_t file_byte_count = 0;
};

/// nullopt without the footer's magic.
std::optional<Apr2Footer> parse_apr2_footer(ByteSpan bytes);
std::vector<uint8_t> encode_apr2_footer(const Apr2Footer& footer);

}  // namespace susurrus
