#include "container/apr1/apr1_index.h"

#include <algorithm>
#include <cmath>

#include "base/byte_cursor.h"
#include "base/name_index.h"
#include "base/sort.h"
#include "base/utf8.h"
#include "container/whisper_tensors.h"

namespace susurrus {
namespace {

constexpr uint64_t kLargestLz4Ratio = 256;
constexpr size_t kWrittenName = kApr1StoredName - 1;

Error malformed(ErrorReason reason, uint64_t offset, std::string_view subject) {
  return make_error(ErrorCode::malformed, reason).at(offset).about(subject);
}

bool is_sound_name(std::string_view name) {
  for (const char c : name) {
    if (static_cast<uint8_t>(c) < 0x20 || c == 0x7F) return false;
  }
  return !name.empty() && !find_invalid_utf8(name);
}

/// One entry's fields as stored.
struct Entry {
  uint64_t file_offset = 0;  // of the entry itself
  std::string_view name;
  uint64_t offset = 0;
  uint64_t size = 0;
  uint64_t element_count = 0;
  Shape shape;
};

/// Collects tensors of either layout.
class IndexBuilder {
 public:
  explicit IndexBuilder(uint64_t data_offset) : data_offset_(data_offset) {}

  void warn(const char* text) {
    const auto& said = index_.warnings;
    if (std::find(said.begin(), said.end(), text) == said.end()) index_.warnings.emplace_back(text);
  }

  Status add(const Entry& entry, TensorInfo tensor) {
    const auto begin = checked_add(data_offset_, entry.offset);
    if (!begin || !checked_add(*begin, entry.size)) {
      return malformed(ErrorReason::bounds, entry.file_offset, entry.name)
          .expecting("an end that fits 64 bits")
          .having(entry.offset);
    }
    tensor.file_offset = *begin;
    tensor.stored_byte_count = entry.size;
    tensor.shape = entry.shape;
    tensor.name = entry.name;
    if (entry.name.size() >= kWrittenName) {
      if (auto whole = complete_cut_tensor_name(entry.name)) {
        tensor.name = *std::move(whole);
        warn("names that were cut at 47 bytes are completed");
      }
    }
    index_.tensors.push_back(std::move(tensor));
    return ok_status();
  }

  Result<Apr1Index> finish(uint64_t index_offset) {
    NameIndex names;
    names.reserve(index_.tensors.size());
    for (const TensorInfo& tensor : index_.tensors) names.add(tensor.name, 0);
    names.sort();
    if (const auto* twice = names.duplicate()) {
      return malformed(ErrorReason::duplicate, index_offset, twice->name)
          .expecting("each name once");
    }
    heap_sort(index_.tensors, is_stored_before);
    uint64_t end = data_offset_;
    for (size_t i = 0; i < index_.tensors.size(); ++i) {
      const TensorInfo& tensor = index_.tensors[i];
      if (tensor.file_offset < end) {
        return malformed(ErrorReason::layout, tensor.file_offset, tensor.name)
            .expecting(end - data_offset_)
            .having("an overlap with " + index_.tensors[i - 1].name);
      }
      if (tensor.file_offset > end && !index_.gap) index_.gap = i;
      end = tensor.file_offset + tensor.stored_byte_count;
    }
    return std::move(index_);
  }

 private:
  uint64_t data_offset_;
  Apr1Index index_;
};

class BinaryIndex {
 public:
  BinaryIndex(ByteSpan bytes, const Apr1Header& header, uint64_t index_offset)
      : bytes_(bytes),
        header_(header),
        offset_(index_offset),
        builder_(index_offset + bytes.size()) {}

  Result<Apr1Index> parse() {
    SUSURRUS_TRY(read_entries());
    is_raw_ = !header_.is_compressed || has_raw_sizes();
    if (header_.is_compressed && is_raw_) builder_.warn("compressed is set over raw data");
    for (size_t i = 0; i < entries_.size(); ++i) {
      TensorInfo tensor;
      SUSURRUS_TRY(set_dtype(entries_[i], tensor));
      if (header_.quantization == Apr1Quantization::int8) SUSURRUS_TRY(set_scale(i, tensor));
      SUSURRUS_TRY(builder_.add(entries_[i], std::move(tensor)));
    }
    return builder_.finish(offset_);
  }

 private:
  Status read_entries() {
    entries_.reserve(header_.tensor_count);
    for (size_t i = 0; i < header_.tensor_count; ++i) {
      Entry entry;
      entry.file_offset = offset_ + i * kApr1EntryBytes;
      SUSURRUS_TRY(read_entry(bytes_.subspan(i * kApr1EntryBytes, kApr1EntryBytes), entry));
      entries_.push_back(entry);
    }
    return ok_status();
  }

  Status read_entry(ByteSpan bytes, Entry& entry) {
    ByteCursor cursor(bytes);
    const std::string_view stored = as_text(cursor.take(kApr1StoredName));
    const size_t end = std::min(stored.find('\0'), stored.size());
    entry.name = stored.substr(0, end);
    if (!is_sound_name(entry.name) || stored.find_first_not_of('\0', end) != stored.npos) {
      return malformed(ErrorReason::bad_name, entry.file_offset, "name")
          .expecting("UTF-8 without control characters, then zeros");
    }
    entry.offset = cursor.u64();
    entry.size = cursor.u64();
    entry.element_count = cursor.u64();
    uint32_t dims[kApr1Dims];
    for (uint32_t& dim : dims) dim = cursor.u32();
    const uint8_t rank = cursor.u8();
    if (rank == 0 || rank > kApr1Dims) {
      return malformed(ErrorReason::bad_shape, entry.file_offset, entry.name)
          .expecting("1 to 4 dimensions")
          .having(rank);
    }
    bool has_rest = false;
    for (size_t i = 0; i < kApr1Dims; ++i) {
      if (i < rank) entry.shape.append(dims[i]);
      has_rest |= i >= rank && dims[i] != 0;
    }
    for (const uint8_t byte : cursor.take(cursor.remaining())) has_rest |= byte != 0;
    if (has_rest) builder_.warn("reserved bytes are not zero");
    const auto count = entry.shape.element_count();
    if (count != entry.element_count) {
      return malformed(ErrorReason::bad_shape, entry.file_offset, entry.name)
          .expecting(count ? std::to_string(*count) + " elements"
                           : std::string("dimensions whose product fits 64 bits"))
          .having(entry.element_count);
    }
    return ok_status();
  }

  uint64_t element_bytes() const {
    switch (header_.quantization) {
      case Apr1Quantization::f16: return 2;
      case Apr1Quantization::int8: return 1;
      default: return 4;
    }
  }

  /// f32 data in a file of halves, which its format's first reader took for granted (apr.md §7.1).
  bool is_wide(const Entry& entry) const {
    return header_.quantization == Apr1Quantization::f16 && entry.size != 0 &&
           checked_multiply(entry.element_count, 4) == entry.size;
  }

  bool has_raw_sizes() const {
    return std::all_of(entries_.begin(), entries_.end(), [this](const Entry& entry) {
      return checked_multiply(entry.element_count, element_bytes()) == entry.size || is_wide(entry);
    });
  }

  Status set_dtype(const Entry& entry, TensorInfo& tensor) {
    const bool is_wide_f32 = is_raw_ && is_wide(entry);
    if (is_wide_f32) builder_.warn("tensors are f32 where the header says f16");
    switch (header_.quantization) {
      case Apr1Quantization::f32: tensor.dtype = Dtype::f32; break;
      case Apr1Quantization::f16: tensor.dtype = is_wide_f32 ? Dtype::f32 : Dtype::f16; break;
      case Apr1Quantization::int8: tensor.dtype = Dtype::i8; break;
    }
    const auto raw = tensor_byte_count(tensor.dtype, entry.shape);
    if (!raw) {
      return malformed(ErrorReason::bad_shape, entry.file_offset, entry.name)
          .expecting("dimensions whose product fits 64 bits")
          .having(entry.element_count);
    }
    tensor.raw_byte_count = *raw;
    tensor.is_compressed = !is_raw_;
    if (is_raw_ && entry.size != *raw) {
      return malformed(ErrorReason::size_mismatch, entry.file_offset, entry.name)
          .expecting("size " + std::to_string(*raw))
          .having(entry.size);
    }
    const auto largest = checked_multiply(entry.size, kLargestLz4Ratio);
    if (!is_raw_ && largest && *raw > *largest) {
      return malformed(ErrorReason::decompress, entry.file_offset, entry.name)
          .expecting("at most 256 times the stored size, " + std::to_string(*largest))
          .having(*raw);
    }
    return ok_status();
  }

  Status set_scale(size_t i, TensorInfo& tensor) const {
    const size_t at = header_.tensor_count * kApr1EntryBytes + i * kApr1ScaleBytes;
    tensor.scale = load_le<float>(bytes_.data() + at);
    if (std::isfinite(tensor.scale) && tensor.scale > 0) return ok_status();
    return malformed(ErrorReason::bad_scale, offset_ + at, entries_[i].name)
        .expecting("a finite scale above 0");
  }

  ByteSpan bytes_;
  const Apr1Header& header_;
  uint64_t offset_;
  IndexBuilder builder_;
  std::vector<Entry> entries_;
  bool is_raw_ = true;
};

Error bad_item(uint64_t index_offset, std::string_view subject) {
  return malformed(ErrorReason::bad_index, index_offset, subject);
}

Result<Entry> read_item(JsonValue item, uint64_t index_offset) {
  Entry entry;
  entry.file_offset = index_offset;
  const auto name = item["name"].text();
  if (!name) return bad_item(index_offset, "name").expecting("a text");
  if (name->size() > limits::kTensorNameBytes || !is_sound_name(*name)) {
    return malformed(ErrorReason::bad_name, index_offset, "name")
        .expecting("1 to 1024 bytes of UTF-8 without control characters");
  }
  entry.name = *name;
  if (const auto dtype = item["dtype"].text(); dtype != "F32") {
    return make_error(ErrorCode::unsupported_feature, ErrorReason::unsupported_dtype)
        .at(index_offset)
        .about(entry.name)
        .expecting("F32")
        .having(dtype.value_or("none"));
  }
  const JsonValue shape = item["shape"];
  if (!shape.is_array() || shape.size() == 0 || shape.size() > limits::kMaxDims) {
    return malformed(ErrorReason::bad_shape, index_offset, entry.name)
        .expecting("1 to 8 dimensions")
        .having(shape.size());
  }
  for (const JsonValue dim : shape.items()) {
    const auto number = dim.unsigned_integer();
    if (!number) return bad_item(index_offset, entry.name).expecting("whole dimensions");
    entry.shape.append(*number);
  }
  const auto offset = item["offset"].unsigned_integer();
  const auto size = item["size"].unsigned_integer();
  if (!offset || !size) return bad_item(index_offset, entry.name).expecting("an offset and a size");
  entry.offset = *offset;
  entry.size = *size;
  return entry;
}

}  // namespace

Result<Apr1Index> parse_apr1_index(ByteSpan bytes, const Apr1Header& header,
                                   uint64_t index_offset) {
  return BinaryIndex(bytes, header, index_offset).parse();
}

Result<Apr1Index> read_apr1_json_index(JsonValue list, uint32_t tensor_count, uint64_t index_offset,
                                       uint64_t data_offset) {
  if (!list.is_array() || list.size() != tensor_count) {
    return bad_item(index_offset, "tensor index")
        .expecting("a list of " + std::to_string(tensor_count))
        .having(list.size());
  }
  IndexBuilder builder(data_offset);
  for (const JsonValue item : list.items()) {
    SUSURRUS_ASSIGN(const Entry entry, read_item(item, index_offset));
    TensorInfo tensor;
    const auto raw = tensor_byte_count(Dtype::f32, entry.shape);
    if (!raw) {
      return malformed(ErrorReason::bad_shape, index_offset, entry.name)
          .expecting("dimensions whose product fits 64 bits");
    }
    tensor.raw_byte_count = *raw;
    if (entry.size != *raw) {
      return malformed(ErrorReason::size_mismatch, index_offset, entry.name)
          .expecting("size " + std::to_string(*raw))
          .having(entry.size);
    }
    SUSURRUS_TRY(builder.add(entry, std::move(tensor)));
  }
  return builder.finish(index_offset);
}

Error apr1_gap_error(const Apr1Index& index, uint64_t file_byte_count) {
  const uint64_t data_end = file_byte_count - std::min<uint64_t>(file_byte_count, kApr1CrcBytes);
  const TensorInfo& last = index.tensors.back();
  const uint64_t end = last.file_offset + last.stored_byte_count;
  if (end > data_end) {
    return malformed(ErrorReason::bounds, last.file_offset, last.name)
        .expecting("an end of at most " + std::to_string(data_end))
        .having(end);
  }
  const TensorInfo& tensor = index.tensors[*index.gap];
  return malformed(ErrorReason::layout, tensor.file_offset, tensor.name)
      .expecting("tensors without gaps");
}

}  // namespace susurrus
