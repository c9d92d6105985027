#include "container/apr1/apr1_index.h"

#include <algorithm>
#include <cmath>

#include "base/byte_cursor.h"
#include "base/name_index.h"
#include "base/sort.h"
#include "base/utf8.h"
#include "families/whisper/tensor_names.h"

namespace susurrus {
namespace {

constexpr uint64_t kLargestLz4Ratio = 256;
constexpr size_t kWrittenName = kApr1StoredName - 1;
// Fields of a binary entry.
enum : size_t { kSizeAt = 56, kElementCountAt = 64, kShapeAt = 72, kRankAt = 88, kReservedAt = 89 };

constexpr const char* kOverflow = "dimensions whose product fits 64 bits";

bool is_sound_name(std::string_view name) {
  for (const char c : name) {
    if (static_cast<uint8_t>(c) < 0x20 || c == 0x7F) return false;
  }
  return !name.empty() && !find_invalid_utf8(name);
}

/// Reads one index of either layout, entry by entry. Errors are about the entry under way.
class IndexParser {
 public:
  IndexParser(uint64_t data_offset, Apr1Index& index) : data_offset_(data_offset), index_(index) {}

  Status parse_binary(ByteSpan bytes, const Apr1Header& header, uint64_t index_offset) {
    header_ = &header;
    const size_t count = header.tensor_count;
    is_raw_ = !header.is_compressed || has_raw_sizes(bytes.data());
    index_.has_raw_streams = header.is_compressed && is_raw_;
    index_.tensors.reserve(count);
    for (size_t i = 0; i < count; ++i) {
      at_ = index_offset + i * kApr1EntryBytes;
      SUSURRUS_RETURN_IF_ERROR(parse_entry(bytes.data() + i * kApr1EntryBytes));
      if (header.quantization != Apr1Quantization::int8) continue;
      const size_t scale_at = count * kApr1EntryBytes + i * kApr1ScaleBytes;
      const auto scale = load_le<float>(bytes.data() + scale_at);
      index_.tensors.back().scale = scale;
      at_ = index_offset + scale_at;
      if (!std::isfinite(scale) || scale <= 0) {
        return refuse(ErrorReason::bad_scale, "a finite scale above 0", i);
      }
    }
    return finish(index_offset);
  }

  Status parse_json(JsonValue list, uint32_t tensor_count, uint64_t index_offset) {
    at_ = index_offset;
    name_ = "tensor index";
    if (!list.is_array() || list.size() != tensor_count) {
      return refuse(ErrorReason::bad_index, "a list of n_tensors", list.size());
    }
    for (const JsonValue item : list.items()) SUSURRUS_RETURN_IF_ERROR(parse_item(item));
    return finish(index_offset);
  }

 private:
  Error refuse(ErrorReason reason, const char* expected, uint64_t got) const {
    return make_error(ErrorCode::malformed, reason)
        .at(at_)
        .with_subject(name_)
        .with_expected(expected)
        .with_got(got);
  }

  uint64_t element_bytes() const {
    constexpr uint8_t kBytes[] = {4, 2, 1};
    return kBytes[static_cast<size_t>(header_->quantization)];
  }

  /// f32 data in a file of halves, which its format's first reader took for granted (apr.md §7.1).
  bool is_wide(uint64_t size, uint64_t element_count) const {
    return header_->quantization == Apr1Quantization::f16 && size != 0 &&
           checked_multiply(element_count, 4) == size;
  }

  bool has_raw_sizes(const uint8_t* entry) const {
    for (size_t i = 0; i < header_->tensor_count; ++i, entry += kApr1EntryBytes) {
      const auto size = load_le<uint64_t>(entry + kSizeAt);
      const auto count = load_le<uint64_t>(entry + kElementCountAt);
      if (checked_multiply(count, element_bytes()) != size && !is_wide(size, count)) return false;
    }
    return true;
  }

  Status parse_entry(const uint8_t* entry) {
    const std::string_view stored(reinterpret_cast<const char*>(entry), kApr1StoredName);
    const std::string_view name = stored.substr(0, stored.find('\0'));
    name_ = "name";
    if (!is_sound_name(name) || stored.find_first_not_of('\0', name.size()) != stored.npos) {
      return refuse(ErrorReason::bad_name, "UTF-8 without control characters, then zeros",
                    name.size());
    }
    name_ = name;
    const uint8_t rank = entry[kRankAt];
    if (rank == 0 || rank > kApr1Dims) {
      return refuse(ErrorReason::bad_shape, "1 to 4 dimensions", rank);
    }
    TensorInfo tensor;
    for (size_t i = 0; i < kApr1Dims; ++i) {
      const auto dim = load_le<uint32_t>(entry + kShapeAt + i * sizeof(uint32_t));
      if (i < rank) tensor.shape.append(dim);
      index_.has_reserved_bytes |= i >= rank && dim != 0;
    }
    for (size_t i = kReservedAt; i < kApr1EntryBytes; ++i)
      index_.has_reserved_bytes |= entry[i] != 0;
    const auto element_count = load_le<uint64_t>(entry + kElementCountAt);
    if (tensor.shape.element_count() != element_count) {
      return refuse(ErrorReason::bad_shape, "as many elements as the dimensions say",
                    element_count);
    }
    const auto size = load_le<uint64_t>(entry + kSizeAt);
    const bool is_wide_f32 = is_raw_ && is_wide(size, element_count);
    index_.has_wide_halves |= is_wide_f32;
    if (header_->quantization == Apr1Quantization::int8) tensor.dtype = Dtype::i8;
    if (header_->quantization == Apr1Quantization::f16 && !is_wide_f32) tensor.dtype = Dtype::f16;
    return add(std::move(tensor), load_le<uint64_t>(entry + kApr1StoredName), size);
  }

  Status parse_item(JsonValue item) {
    name_ = "name";
    const auto name = item["name"].text();
    if (!name) return refuse(ErrorReason::bad_index, "a text", 0);
    if (name->size() > limits::kTensorNameBytes || !is_sound_name(*name)) {
      return refuse(ErrorReason::bad_name, "1 to 1024 bytes of UTF-8 without control characters",
                    name->size());
    }
    name_ = *name;
    if (item["dtype"].text() != "F32") {
      return make_error(ErrorCode::unsupported_feature, ErrorReason::unsupported_dtype)
          .at(at_)
          .with_subject(name_)
          .with_expected("F32");
    }
    const JsonValue shape = item["shape"];
    const size_t rank = shape.is_array() ? shape.size() : 0;
    if (rank == 0 || rank > limits::kMaxDims) {
      return refuse(ErrorReason::bad_shape, "1 to 8 dimensions", rank);
    }
    TensorInfo tensor;
    bool is_whole = true;
    for (const JsonValue dim : shape.items()) {
      const auto number = dim.unsigned_integer();
      is_whole &= number.has_value();
      tensor.shape.append(number.value_or(0));
    }
    const auto offset = item["offset"].unsigned_integer();
    const auto size = item["size"].unsigned_integer();
    if (!is_whole || !offset || !size) {
      return refuse(ErrorReason::bad_index, "whole dimensions, an offset and a size", 0);
    }
    return add(std::move(tensor), *offset, *size);
  }

  Status add(TensorInfo tensor, uint64_t offset, uint64_t size) {
    const auto raw = tensor_byte_count(tensor.dtype, tensor.shape);
    if (!raw) return refuse(ErrorReason::bad_shape, kOverflow, size);
    if (is_raw_ && size != *raw) {
      return refuse(ErrorReason::size_mismatch, "a size that fits the shape", size);
    }
    const auto largest = checked_multiply(size, kLargestLz4Ratio);
    if (!is_raw_ && largest && *raw > *largest) {
      return refuse(ErrorReason::decompress, "at most 256 times the stored size", *raw);
    }
    const auto begin = checked_add(data_offset_, offset);
    if (!begin || !checked_add(*begin, size)) {
      return refuse(ErrorReason::bounds, "an end that fits 64 bits", offset);
    }
    tensor.raw_byte_count = *raw;
    tensor.stored_byte_count = size;
    tensor.file_offset = *begin;
    tensor.is_compressed = !is_raw_;
    tensor.name = name_;
    if (name_.size() >= kWrittenName) {
      if (auto whole = complete_cut_tensor_name(name_)) {
        tensor.name = *std::move(whole);
        index_.has_cut_names = true;
      }
    }
    index_.tensors.push_back(std::move(tensor));
    return ok_status();
  }

  /// Names and layout, of all of them.
  Status finish(uint64_t index_offset) {
    std::vector<TensorInfo>& tensors = index_.tensors;
    NameIndex names;
    names.reserve(tensors.size());
    for (const TensorInfo& tensor : tensors) names.add(tensor.name, 0);
    names.sort();
    if (const auto* twice = names.duplicate()) {
      at_ = index_offset;
      name_ = twice->name;
      return refuse(ErrorReason::duplicate, "each name once", 2);
    }
    heap_sort(tensors, is_stored_before);
    uint64_t end = data_offset_;
    for (size_t i = 0; i < tensors.size(); ++i) {
      const TensorInfo& tensor = tensors[i];
      if (tensor.file_offset < end) {
        at_ = tensor.file_offset;
        name_ = tensor.name;
        return refuse(ErrorReason::layout, "an offset behind the tensor before",
                      tensor.file_offset - data_offset_);
      }
      if (tensor.file_offset > end && !index_.gap) index_.gap = i;
      end = tensor.file_offset + tensor.stored_byte_count;
    }
    return ok_status();
  }

  uint64_t data_offset_;
  Apr1Index& index_;
  const Apr1Header* header_ = nullptr;
  bool is_raw_ = true;
  uint64_t at_ = 0;
  std::string_view name_;
};

}  // namespace

Status parse_apr1_index(ByteSpan bytes, const Apr1Header& header, uint64_t index_offset,
                        Apr1Index& index) {
  return IndexParser(index_offset + bytes.size(), index).parse_binary(bytes, header, index_offset);
}

Status read_apr1_json_index(JsonValue list, uint32_t tensor_count, uint64_t index_offset,
                            uint64_t data_offset, Apr1Index& index) {
  return IndexParser(data_offset, index).parse_json(list, tensor_count, index_offset);
}

Error apr1_gap_error(const Apr1Index& index, uint64_t file_byte_count) {
  const uint64_t data_end = file_byte_count - std::min<uint64_t>(file_byte_count, kApr1CrcBytes);
  const TensorInfo& last = index.tensors.back();
  const bool is_outside = last.file_offset + last.stored_byte_count > data_end;
  const TensorInfo& tensor = is_outside ? last : index.tensors[*index.gap];
  return make_error(ErrorCode::malformed, is_outside ? ErrorReason::bounds : ErrorReason::layout)
      .at(tensor.file_offset)
      .with_subject(tensor.name)
      .with_expected(is_outside ? "an end within the file" : "tensors without gaps")
      .with_got(tensor.file_offset + tensor.stored_byte_count);
}

}  // namespace susurrus
