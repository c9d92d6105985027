#include "container/apr2/apr2_layout.h"

#include <zlib.h>

#include "container/apr2/apr2_flags.h"
#include "container/apr2_builder.h"
#include "harness.h"
#include "stream/short_crc32.h"

namespace susurrus::testing::apr2_layout_test {
namespace {

Bytes built() {
  Apr2Builder builder;
  builder.metadata = tiny_metadata();
  builder.flags = apr2_flags::kAligned64 | apr2_flags::kCompressed;
  builder.tensors = {{"a", 0, {2, 3}, Bytes(24, 1)}, {"long name", 7, {640}, Bytes(9, 2), 640}};
  return builder.build();
}

Bytes index_of(const Bytes& file, const Apr2Header& header) {
  return {file.begin() + header.index_offset, file.begin() + header.index_end()};
}

}  // namespace

SUSURRUS_TEST(apr2_entries_say_where_their_parts_stand) {
  const Bytes file = built();
  const auto header = parse_apr2_header(ByteSpan(file).first(kApr2HeaderBytes));
  ASSERT_TRUE(header.has_value());
  const Bytes index = index_of(file, *header);
  const auto entries = read_apr2_entries(index, *header);
  ASSERT_TRUE(entries.has_value());
  ASSERT_TRUE(entries->size() == 2);
  const Apr2Entry& first = (*entries)[0];
  const Apr2Entry& second = (*entries)[1];
  EXPECT_EQ(first.name, "a");
  EXPECT_EQ(first.entry_at, 8u);
  EXPECT_EQ(first.name_at, 10u);
  EXPECT_EQ(first.type_at, 11u);
  EXPECT_EQ(first.place_at, 29u);
  EXPECT_EQ(first.offset, 0u);
  EXPECT_EQ(first.byte_count, 24u);
  EXPECT_EQ(first.plain_byte_count.value_or(0), 24u);
  EXPECT_EQ(second.name, "long name");
  EXPECT_EQ(second.entry_at, first.place_at + 28);
  EXPECT_EQ(second.type_at, second.entry_at + 11);
  EXPECT_EQ(second.place_at, second.type_at + 10);
  EXPECT_EQ(second.offset, 64u);
  EXPECT_EQ(second.byte_count, 9u);
  EXPECT_FALSE(second.plain_byte_count.has_value());
}

SUSURRUS_TEST(apr2_entries_of_a_cut_or_wrong_index_are_refused) {
  const Bytes file = built();
  const auto header = parse_apr2_header(ByteSpan(file).first(kApr2HeaderBytes));
  ASSERT_TRUE(header.has_value());
  const Bytes index = index_of(file, *header);
  for (size_t length = 0; length < index.size(); ++length) {
    const auto entries = read_apr2_entries(ByteSpan(index).first(length), *header);
    EXPECT_FALSE(entries.has_value());
  }
  Bytes wrong = index;
  wrong[11] = 9;  // a dtype that there is not
  const auto entries = read_apr2_entries(wrong, *header);
  ASSERT_TRUE(!entries.has_value());
  EXPECT_EQ(entries.error().reason, ErrorReason::unsupported_dtype);
}

SUSURRUS_TEST(apr2_footer_is_found_where_it_closes_a_file) {
  Bytes file = built();
  const uint64_t file_byte_count = file.size();
  const uint32_t crc = load_le<uint32_t>(file.data() + file.size() - kApr2FooterBytes);
  append_text(file, "and more");
  auto found = find_apr2_footer(file, 0);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->end, file_byte_count);
  EXPECT_EQ(found->footer.crc32, crc);
  EXPECT_EQ(found->footer.file_byte_count, file_byte_count);
  // From the middle of the file, and not where the bytes before it were others.
  found = find_apr2_footer(ByteSpan(file).subspan(100), 100);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->end, file_byte_count - 100);
  EXPECT_FALSE(find_apr2_footer(file, 1).has_value());
  EXPECT_FALSE(find_apr2_footer(ByteSpan(file).first(file_byte_count - 1), 0).has_value());
  EXPECT_FALSE(find_apr2_footer({}, 0).has_value());
  const Bytes written = encode_apr2_footer(found->footer);
  EXPECT_TRUE(std::equal(written.begin(), written.end(),
                         file.begin() + file_byte_count - kApr2FooterBytes));
}

SUSURRUS_TEST(apr2_header_is_laid_out_anew) {
  const Bytes file = built();
  const auto header = parse_apr2_header(ByteSpan(file).first(kApr2HeaderBytes));
  ASSERT_TRUE(header.has_value());
  const uint32_t flags = header->flags | apr2_flags::kEncrypted | apr2_flags::kAligned32;
  const Bytes bytes = encode_apr2_header(relaid_apr2_header(*header, flags, 1000));
  const auto relaid = parse_apr2_header(bytes);
  ASSERT_TRUE(relaid.has_value());
  EXPECT_EQ(relaid->flags,
            apr2_flags::kAligned64 | apr2_flags::kCompressed | apr2_flags::kEncrypted);
  EXPECT_EQ(relaid->metadata_offset, 32u);
  EXPECT_EQ(relaid->index_offset, 1032u);
  EXPECT_EQ(relaid->index_byte_count, header->index_byte_count);
  EXPECT_EQ(relaid->data_offset % 64, 0u);
  EXPECT_TRUE(relaid->data_offset >= relaid->index_end());
  EXPECT_TRUE(relaid->data_offset < relaid->index_end() + 64);
}

SUSURRUS_TEST(four_bytes_make_any_crc32) {
  const Bytes bytes = {1, 2, 3, 250, 251};
  const auto crc = static_cast<uint32_t>(::crc32(0, bytes.data(), bytes.size()));
  for (const uint32_t wanted : {0u, 1u, 0xFFFFFFFFu, 0x12345678u, 0x80000000u}) {
    Bytes patched = bytes;
    append_number(patched, crc32_patch(crc, wanted));
    EXPECT_EQ(static_cast<uint32_t>(::crc32(0, patched.data(), patched.size())), wanted);
  }
}

}  // namespace susurrus::testing::apr2_layout_test
