#include "container/apr2/apr2_index.h"

#include <algorithm>

#include "base/byte_cursor.h"
#include "base/limits.h"
#include "base/name_index.h"
#include "base/sort.h"
#include "base/utf8.h"
#include "container/apr2/apr2_flags.h"
#include "container/read_error.h"

namespace susurrus {
namespace {

// A name of one byte, one dimension. One without either, which is an error of its own, has kFixedEntryBytes.
constexpr uint64_t kSmallestEntryBytes = 41;
constexpr uint64_t kFixedEntryBytes = 32;
constexpr uint64_t kLargestLz4Ratio = 256;
constexpr uint64_t kTagBytes = 16;
constexpr uint64_t kNonceBytes = 8;

/// One entry's fields as stored.
struct RawEntry {
  uint64_t file_offset = 0;  // of the entry itself
  std::string_view name;
  uint8_t dtype = 0;
  uint8_t rank = 0;
  Shape shape;
  uint64_t offset = 0;
  uint64_t size = 0;
  uint64_t raw_size = 0;
  uint32_t flags = 0;
};

class IndexParser {
 public:
  IndexParser(ByteSpan bytes, const Apr2IndexContext& context)
      : cursor_(bytes), context_(context) {}

  Result<Apr2Index> parse() {
    const uint32_t count = cursor_.u32();
    const uint32_t reserved = cursor_.u32();
    if (cursor_.failed() || uint64_t{count} * kFixedEntryBytes > cursor_.remaining()) {
      return malformed(ErrorReason::bad_index, context_.header.index_offset, "tensor_count")
          .with_expected("at most " + std::to_string(cursor_.remaining() / kSmallestEntryBytes))
          .with_got(count);
    }
    if (reserved != 0) warn("reserved bytes are not zero");
    index_.tensors.reserve(std::min<size_t>(count, cursor_.remaining() / kSmallestEntryBytes));
    for (uint32_t i = 0; i < count; ++i) {
      SUSURRUS_ASSIGN_OR_RETURN(RawEntry entry, read_entry(i));
      SUSURRUS_RETURN_IF_ERROR(add(entry));
    }
    if (cursor_.remaining() > 0) {
      return malformed(ErrorReason::bad_index, here(), "index_size")
          .with_expected(cursor_.position())
          .with_got(cursor_.position() + cursor_.remaining());
    }
    if (index_.length_error) return std::move(index_);
    SUSURRUS_RETURN_IF_ERROR(check_names());
    sort();
    SUSURRUS_RETURN_IF_ERROR(check_overlaps());
    check_flags();
    return std::move(index_);
  }

 private:
  uint64_t here() const { return context_.header.index_offset + cursor_.position(); }
  void warn(const char* text) { index_.warnings.emplace_back(text); }

  Result<RawEntry> read_entry(uint32_t number) {
    RawEntry entry;
    entry.file_offset = here();
    const uint16_t name_size = cursor_.u16();
    if (!cursor_.failed() && (name_size == 0 || name_size > limits::kTensorNameBytes)) {
      return malformed(ErrorReason::bad_name, entry.file_offset, "name_len")
          .with_expected("1 to 1024")
          .with_got(name_size);
    }
    entry.name = as_text(cursor_.take(name_size));
    entry.dtype = cursor_.u8();
    entry.rank = cursor_.u8();
    if (!cursor_.failed() && (entry.rank == 0 || entry.rank > limits::kMaxDims)) {
      // The name and dtype before it may be what is really wrong: their rows come first.
      SUSURRUS_RETURN_IF_ERROR(check_name(entry));
      SUSURRUS_RETURN_IF_ERROR(check_dtype(entry));
      return malformed(ErrorReason::bad_shape, entry.file_offset, entry.name)
          .with_expected("1 to 8 dimensions")
          .with_got(entry.rank);
    }
    for (uint8_t i = 0; i < entry.rank; ++i) entry.shape.append(cursor_.u64());
    entry.offset = cursor_.u64();
    entry.size = cursor_.u64();
    entry.raw_size = cursor_.u64();
    entry.flags = cursor_.u32();  // without a meaning (apr.md 9.12)
    if (cursor_.failed()) {
      return malformed(ErrorReason::bad_index, entry.file_offset,
                       "index entry " + std::to_string(number))
          .with_expected("an entry within index_size")
          .with_got("an entry that runs past it");
    }
    return entry;
  }

  Status check_name(const RawEntry& entry) const {
    if (!is_plain_text(entry.name)) {
      return malformed(ErrorReason::bad_name, entry.file_offset, "name")
          .with_expected("UTF-8 without control characters");
    }
    return ok_status();
  }

  Status check_dtype(const RawEntry& entry) const {
    if (dtype_from_number(entry.dtype)) return ok_status();
    return make_error(ErrorCode::unsupported_feature, ErrorReason::unsupported_dtype)
        .at(entry.file_offset)
        .with_subject(entry.name)
        .with_expected("a dtype of APR2")
        .with_got(entry.dtype);
  }

  Status add(const RawEntry& entry) {
    SUSURRUS_RETURN_IF_ERROR(check_name(entry));
    SUSURRUS_RETURN_IF_ERROR(check_dtype(entry));
    TensorInfo tensor;
    tensor.name = entry.name;
    tensor.dtype = *dtype_from_number(entry.dtype);
    tensor.shape = entry.shape;
    tensor.flags = entry.flags;
    const auto bytes = tensor_byte_count(tensor.dtype, tensor.shape);
    if (!bytes) {
      const bool is_cut_block =
          tensor.shape.last() % dtype_traits(tensor.dtype).elements_per_block != 0;
      return malformed(ErrorReason::bad_shape, entry.file_offset, entry.name)
          .with_expected(is_cut_block ? "a last dimension that is a multiple of 32"
                                      : "dimensions whose product fits 64 bits")
          .with_got(tensor.shape.last());
    }
    tensor.raw_byte_count = *bytes;
    tensor.stored_byte_count = entry.size;
    if (entry.raw_size == 0 && context_.file_byte_count && *bytes > *context_.file_byte_count) {
      if (!index_.length_error) {
        index_.length_error =
            malformed(ErrorReason::bad_shape, entry.file_offset, entry.name)
                .with_expected("at most the file's " + std::to_string(*context_.file_byte_count) +
                               " bytes")
                .with_got(*bytes);
      }
      return ok_status();
    }
    SUSURRUS_RETURN_IF_ERROR(check_sizes(entry, tensor));
    const auto begin = checked_add(context_.header.data_offset, entry.offset);
    if (!begin || !checked_add(*begin, entry.size)) {
      return malformed(ErrorReason::bounds, entry.file_offset, entry.name)
          .with_expected("an end that fits 64 bits")
          .with_got(entry.offset);
    }
    tensor.file_offset = *begin;
    index_.tensors.push_back(std::move(tensor));
    return ok_status();
  }

  Status check_sizes(const RawEntry& entry, TensorInfo& tensor) {
    const uint64_t computed = tensor.raw_byte_count;
    if (entry.raw_size != 0 && entry.raw_size != computed) {
      return malformed(ErrorReason::size_mismatch, entry.file_offset, entry.name)
          .with_expected("raw_size " + std::to_string(computed))
          .with_got(entry.raw_size);
    }
    const bool is_encrypted = context_.header.has(apr2_flags::kEncrypted);
    if (entry.raw_size == 0 || (entry.raw_size == entry.size && !is_encrypted)) {
      // raw_size = size: what a writer does that keeps a stream which did not shrink, raw (apr.md 9.9).
      if (entry.raw_size != 0) saw_raw_with_raw_size_ = true;
      const auto expected = is_encrypted ? encrypted_byte_count(computed, entry.size) : computed;
      if (entry.size != expected) {
        return malformed(ErrorReason::size_mismatch, entry.file_offset, entry.name)
            .with_expected("size " + std::to_string(expected))
            .with_got(entry.size);
      }
      return ok_status();
    }
    if (!context_.header.has(apr2_flags::kCompressed)) {
      return malformed(ErrorReason::contradiction, entry.file_offset, entry.name)
          .with_expected("the flag COMPRESSED, or raw_size 0")
          .with_got(entry.raw_size);
    }
    const auto largest = checked_multiply(entry.size, kLargestLz4Ratio);
    if (largest && entry.raw_size > *largest) {
      return malformed(ErrorReason::decompress, entry.file_offset, entry.name)
          .with_expected("at most 256 times the stored size, " + std::to_string(*largest))
          .with_got(entry.raw_size);
    }
    tensor.is_compressed = true;
    return ok_status();
  }

  /// `stored` itself where no scheme says what it must be.
  uint64_t encrypted_byte_count(uint64_t plain, uint64_t stored) const {
    if (!context_.encryption_piece_bytes) return stored;
    const uint64_t piece = *context_.encryption_piece_bytes;
    const uint64_t pieces = plain / piece + (plain % piece != 0 ? 1 : 0);
    const auto tags = checked_multiply(pieces, kTagBytes);
    const auto sum = tags ? checked_add(plain, *tags) : tags;
    const auto total = sum ? checked_add(*sum, kNonceBytes) : sum;
    return total ? *total : 0;
  }

  Status check_names() const {
    NameIndex names;
    names.reserve(index_.tensors.size());
    for (const TensorInfo& tensor : index_.tensors) names.add(tensor.name, 0);
    names.sort();
    if (const auto* twice = names.duplicate()) {
      return malformed(ErrorReason::duplicate, context_.header.index_offset, twice->name)
          .with_expected("each name once");
    }
    return ok_status();
  }

  void sort() { heap_sort(index_.tensors, is_stored_before); }

  Status check_overlaps() const {
    uint64_t end = 0;
    std::string_view previous;
    for (const TensorInfo& tensor : index_.tensors) {
      if (tensor.stored_byte_count == 0) continue;
      if (tensor.file_offset < end) {
        return malformed(ErrorReason::layout, tensor.file_offset, tensor.name)
            .with_expected("an offset of at least " +
                           std::to_string(end - context_.header.data_offset))
            .with_got("an overlap with " + std::string(previous));
      }
      end = tensor.file_offset + tensor.stored_byte_count;
      previous = tensor.name;
    }
    return ok_status();
  }

  void check_flags() {
    const Apr2Header& header = context_.header;
    if (saw_raw_with_raw_size_) warn("a tensor that is stored raw gives a raw size");
    const uint64_t alignment = header.has(apr2_flags::kAligned64)   ? 64
                               : header.has(apr2_flags::kAligned32) ? 32
                                                                    : 1;
    bool is_aligned = header.data_offset % alignment == 0;
    bool has_blocks = false;
    for (const TensorInfo& tensor : index_.tensors) {
      is_aligned &= (tensor.file_offset - header.data_offset) % alignment == 0;
      has_blocks |= is_block_dtype(tensor.dtype);
    }
    if (!is_aligned) warn("tensors are not aligned as the flags promise");
    if (has_blocks != header.has(apr2_flags::kQuantized)) {
      warn("the flag QUANTIZED does not match the tensors");
    }
    if (header.has(apr2_flags::kStreaming) && !is_in_streaming_order(index_.tensors)) {
      warn("the flag STREAMING does not match the tensors' order");
    }
  }

  ByteCursor cursor_;
  const Apr2IndexContext& context_;
  Apr2Index index_;
  bool saw_raw_with_raw_size_ = false;
};

}  // namespace

Result<Apr2Index> parse_apr2_index(ByteSpan bytes, const Apr2IndexContext& context) {
  return IndexParser(bytes, context).parse();
}

bool is_in_streaming_order(std::span<const TensorInfo> tensors) {
  bool saw_decoder = false;
  for (const TensorInfo& tensor : tensors) {
    saw_decoder |= tensor.name.find("decoder.") != std::string::npos;
    if (saw_decoder && tensor.name.find("encoder.") != std::string::npos) return false;
  }
  return true;
}

Status check_apr2_tensors_fit(const std::vector<TensorInfo>& tensors, uint64_t file_byte_count) {
  const uint64_t end = file_byte_count < kApr2FooterBytes ? 0 : file_byte_count - kApr2FooterBytes;
  for (const TensorInfo& tensor : tensors) {
    if (tensor.file_offset + tensor.stored_byte_count > end) {
      return malformed(ErrorReason::bounds, tensor.file_offset, tensor.name)
          .with_expected("an end of at most " + std::to_string(end))
          .with_got(tensor.file_offset + tensor.stored_byte_count);
    }
  }
  return ok_status();
}

}  // namespace susurrus
