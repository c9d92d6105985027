#include "container/apr2/apr2_layout.h"

#include "base/byte_cursor.h"
#include "container/apr2/apr2_flags.h"
#include "container/apr2/apr2_index.h"
#include "container/apr2/apr2_writer.h"

namespace susurrus {

Result<std::vector<Apr2Entry>> read_apr2_entries(ByteSpan index, const Apr2Header& header) {
  SUSURRUS_ASSIGN_OR_RETURN(const Apr2Index checked,
                            parse_apr2_index(index, {header, std::nullopt, std::nullopt}));
  std::vector<Apr2Entry> entries;
  entries.reserve(checked.tensors.size());
  ByteCursor cursor(index);
  const uint32_t count = cursor.u32();
  cursor.u32();  // reserved
  for (uint32_t i = 0; i < count; ++i) {
    Apr2Entry entry;
    entry.entry_at = cursor.position();
    const uint16_t name_byte_count = cursor.u16();
    entry.name_at = cursor.position();
    entry.name = as_text(cursor.take(name_byte_count));
    entry.type_at = cursor.position();
    const auto dtype = dtype_from_number(cursor.u8());
    const uint8_t rank = cursor.u8();
    Shape shape;
    for (uint8_t dim = 0; dim < rank; ++dim) shape.append(cursor.u64());
    entry.place_at = cursor.position();
    entry.offset = cursor.u64();
    entry.byte_count = cursor.u64();
    const uint64_t raw_byte_count = cursor.u64();
    cursor.u32();  // flags without a meaning
    if (raw_byte_count == 0) entry.plain_byte_count = tensor_byte_count(*dtype, shape);
    entries.push_back(entry);
  }
  return entries;
}

std::optional<FoundFooter> find_apr2_footer(ByteSpan bytes, uint64_t file_offset) {
  for (size_t end = kApr2FooterBytes; end <= bytes.size(); ++end) {
    // The magic's first letter first: a footer is rare.
    if (bytes[end - 12] != static_cast<uint8_t>(kApr2FooterMagic[0])) continue;
    const auto footer = parse_apr2_footer(bytes.subspan(end - kApr2FooterBytes, kApr2FooterBytes));
    if (footer && footer->file_byte_count == file_offset + end) return FoundFooter{*footer, end};
  }
  return std::nullopt;
}

Apr2Header relaid_apr2_header(const Apr2Header& header, uint32_t flags,
                              uint32_t metadata_byte_count) {
  Apr2Header relaid = header;
  relaid.flags = (flags & ~apr2_flags::kAligned32) | apr2_flags::kAligned64;
  relaid.metadata_offset = kApr2HeaderBytes;
  relaid.metadata_byte_count = metadata_byte_count;
  relaid.index_offset = static_cast<uint32_t>(relaid.metadata_end());
  relaid.data_offset =
      static_cast<uint32_t>(apr2_data_offset(metadata_byte_count, header.index_byte_count));
  return relaid;
}

}  // namespace susurrus
