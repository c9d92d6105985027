#include <emscripten/bind.h>

#include <optional>
#include <vector>

#include "base/json_writer.h"
#include "container/apr2/apr2_flags.h"
#include "container/apr2/apr2_layout.h"
#include "input_window.h"
#include "stream/running_crc32.h"
#include "stream/short_crc32.h"

namespace susurrus {
namespace {

/// A piece of a mebibyte with the footer after it and one byte more.
constexpr size_t kWindowBytes = (size_t{1} << 20) + 64;

/// Where things stand in an APR2 file, for code that encrypts, signs or verifies it; apr2_layout.h.
class Apr2LayoutBinding {
 public:
  ByteView input_window(double byte_count) { return window_.fill(byte_count); }

  /// The header's 32 bytes, as they were filled in.
  ErrorText read_header(double byte_count) {
    auto bytes = window_.filled(byte_count);
    if (!bytes) return failure(bytes);
    auto header = parse_apr2_header(*bytes);
    if (header) header_ = *header;
    if (header) return failure(check_apr2_section_order(header_));
    return failure(header);
  }
  std::string header() const {
    JsonWriter json;
    json.begin_object()
        .field("isEncrypted", header_.has(apr2_flags::kEncrypted))
        .field("isSigned", header_.has(apr2_flags::kSigned))
        .field("metadataOffset", header_.metadata_offset)
        .field("metadataEnd", header_.metadata_end())
        .field("indexOffset", header_.index_offset)
        .field("indexEnd", header_.index_end())
        .field("dataOffset", header_.data_offset)
        .end_object();
    return std::move(json).text();
  }

  /// The index in pieces; entries() when it is whole.
  ErrorText push_index(double byte_count) {
    auto bytes = window_.filled(byte_count);
    if (!bytes) return failure(bytes);
    index_.insert(index_.end(), bytes->begin(), bytes->end());
    if (index_.size() < header_.index_byte_count) return {};
    auto entries = read_apr2_entries(index_, header_);
    if (entries) write_entries(*entries);
    index_ = {};
    return failure(entries);
  }
  std::string entries() const { return entries_; }

  /// header() without the ENCRYPTED flag.
  ByteView plain_header() {
    Apr2Header plain = header_;
    plain.flags &= ~apr2_flags::kEncrypted;
    return encoded(encode_apr2_header(plain));
  }
  /// The header of the file rewritten, which header() tells of from now on.
  ByteView new_header(bool is_encrypted, bool is_signed, double metadata_byte_count) {
    const uint32_t others = header_.flags & ~(apr2_flags::kEncrypted | apr2_flags::kSigned);
    const uint32_t flags = others | (is_encrypted ? apr2_flags::kEncrypted : 0) |
                           (is_signed ? apr2_flags::kSigned : 0);
    header_ = relaid_apr2_header(header_, flags, static_cast<uint32_t>(metadata_byte_count));
    return encoded(encode_apr2_header(header_));
  }

  /// The first footer in the window that closes a file there: {end, crc32}; empty without one.
  std::string find_footer(double byte_count, double file_offset) const {
    const auto bytes = window_.filled(byte_count);
    if (!bytes) return {};
    const auto found = find_apr2_footer(*bytes, static_cast<uint64_t>(file_offset));
    if (!found) return {};
    JsonWriter json;
    json.begin_object()
        .field("end", uint64_t{found->end})
        .field("crc32", found->footer.crc32)
        .end_object();
    return std::move(json).text();
  }
  ByteView footer(double crc32, double file_byte_count) {
    return encoded(
        encode_apr2_footer({static_cast<uint32_t>(crc32), static_cast<uint64_t>(file_byte_count)}));
  }

 private:
  void write_entries(const std::vector<Apr2Entry>& entries) {
    JsonWriter json;
    json.begin_array();
    for (const Apr2Entry& entry : entries) {
      json.begin_object()
          .field("name", entry.name)
          .field("entryAt", uint64_t{entry.entry_at})
          .field("nameAt", uint64_t{entry.name_at})
          .field("typeAt", uint64_t{entry.type_at})
          .field("placeAt", uint64_t{entry.place_at})
          .field("offset", entry.offset)
          .field("size", entry.byte_count);
      if (entry.plain_byte_count) json.field("plainSize", *entry.plain_byte_count);
      json.end_object();
    }
    json.end_array();
    entries_ = std::move(json).text();
  }
  ByteView encoded(std::vector<uint8_t> bytes) {
    encoded_ = std::move(bytes);
    return view(std::span<const uint8_t>(encoded_));
  }

  Apr2Header header_;
  std::vector<uint8_t> index_;
  std::string entries_;
  std::vector<uint8_t> encoded_;
  InputWindow window_{kWindowBytes};
};

/// CRC-32 of bytes in pieces.
class Crc32Binding {
 public:
  ByteView input_window(double byte_count) { return window_.fill(byte_count); }
  ErrorText update(double byte_count) {
    auto bytes = window_.filled(byte_count);
    if (bytes) crc_.update(*bytes);
    return failure(bytes);
  }
  double value() const { return crc_.value(); }
  /// The four bytes, as a little-endian number, after which value() would be `wanted`.
  double patch(double wanted) const {
    return crc32_patch(crc_.value(), static_cast<uint32_t>(wanted));
  }

 private:
  RunningCrc32 crc_;
  InputWindow window_{256 << 10};
};

}  // namespace

EMSCRIPTEN_BINDINGS(apr2_layout) {
  emscripten::class_<Apr2LayoutBinding>("Apr2Layout")
      .constructor<>()
      .function("inputWindow(byteCount)", &Apr2LayoutBinding::input_window)
      .function("readHeader(byteCount)", &Apr2LayoutBinding::read_header)
      .function("header", &Apr2LayoutBinding::header)
      .function("pushIndex(byteCount)", &Apr2LayoutBinding::push_index)
      .function("entries", &Apr2LayoutBinding::entries)
      .function("plainHeader", &Apr2LayoutBinding::plain_header)
      .function("newHeader(isEncrypted, isSigned, metadataByteCount)",
                &Apr2LayoutBinding::new_header)
      .function("findFooter(byteCount, fileOffset)", &Apr2LayoutBinding::find_footer)
      .function("footer(crc32, fileByteCount)", &Apr2LayoutBinding::footer);
  emscripten::class_<Crc32Binding>("Crc32")
      .constructor<>()
      .function("inputWindow(byteCount)", &Crc32Binding::input_window)
      .function("update(byteCount)", &Crc32Binding::update)
      .function("value", &Crc32Binding::value)
      .function("patch(wanted)", &Crc32Binding::patch);
}

}  // namespace susurrus
