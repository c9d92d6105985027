#include "container/apr2/apr2_writer.h"

#include <algorithm>
#include <array>

#include "base/append.h"
#include "base/limits.h"
#include "container/apr2/apr2_flags.h"
#include "container/apr2/apr2_header.h"
#include "container/apr2/apr2_index.h"
#include "container/read_error.h"

namespace susurrus {
namespace {

constexpr uint64_t kDataAlignment = 64;
constexpr uint64_t kEntryBytes = 32;

}  // namespace

uint64_t apr2_data_offset(uint64_t metadata_byte_count, uint64_t index_byte_count) {
  return align_up(kApr2HeaderBytes + metadata_byte_count + index_byte_count, kDataAlignment);
}

uint64_t apr2_entry_byte_count(const TensorInfo& tensor) {
  return kEntryBytes + tensor.name.size() + 8 * uint64_t{tensor.shape.rank()};
}

Result<std::unique_ptr<Apr2Writer>> Apr2Writer::plan(std::string_view metadata,
                                                     std::vector<TensorInfo> tensors,
                                                     Apr2WriterOptions options) {
  if (options.alignment != 64 && options.alignment != 32) {
    return wrong_argument("alignment").with_expected("64 or 32").with_got(options.alignment);
  }
  if (metadata.empty() || metadata.size() > limits::kMetadataBytes) {
    return make_error(ErrorCode::limit_exceeded, ErrorReason::limit)
        .with_subject("metadata_size")
        .with_expected("1 to " + std::to_string(limits::kMetadataBytes))
        .with_got(metadata.size());
  }
  std::unique_ptr<Apr2Writer> writer(new Apr2Writer());
  writer->tensors_ = std::move(tensors);
  writer->alignment_ = options.alignment;
  writer->flags_ = (options.alignment == 64 ? apr2_flags::kAligned64 : apr2_flags::kAligned32) |
                   (options.is_shard ? apr2_flags::kSharded : 0);
  writer->metadata_byte_count_ = metadata.size();
  if (options.is_streaming && is_in_streaming_order(writer->tensors_)) {
    writer->flags_ |= apr2_flags::kStreaming;
  }
  SUSURRUS_RETURN_IF_ERROR(writer->place_tensors());
  return writer;
}

Status Apr2Writer::place_tensors() {
  index_byte_count_ = kApr2IndexHeaderBytes;
  for (TensorInfo& tensor : tensors_) {
    if (tensor.name.empty() || tensor.name.size() > limits::kTensorNameBytes ||
        tensor.shape.rank() == 0) {
      return wrong_argument(tensor.name)
          .with_expected("a name of 1 to 1024 bytes and 1 to 8 dimensions");
    }
    const auto raw = tensor_byte_count(tensor.dtype, tensor.shape);
    if (!raw || (!tensor.is_compressed && *raw != tensor.stored_byte_count)) {
      return wrong_argument(tensor.name)
          .with_expected(raw.value_or(0))
          .with_got(tensor.stored_byte_count);
    }
    tensor.raw_byte_count = *raw;
    index_byte_count_ += apr2_entry_byte_count(tensor);
    if (tensor.is_compressed) flags_ |= apr2_flags::kCompressed;
    if (is_block_dtype(tensor.dtype)) flags_ |= apr2_flags::kQuantized;
  }
  if (index_byte_count_ > limits::kIndexBytes) {
    return make_error(ErrorCode::limit_exceeded, ErrorReason::limit)
        .with_subject("index_size")
        .with_expected(limits::kIndexBytes)
        .with_got(index_byte_count_);
  }
  data_offset_ = apr2_data_offset(metadata_byte_count_, index_byte_count_);
  uint64_t end = data_offset_;
  for (TensorInfo& tensor : tensors_) {
    const auto begin = checked_align_up(end, alignment_);
    const auto next = begin ? checked_add(*begin, tensor.stored_byte_count) : begin;
    if (!next) return wrong_argument(tensor.name).with_expected("offsets that fit 64 bits");
    tensor.file_offset = *begin;
    end = *next;
  }
  file_byte_count_ = end + kApr2FooterBytes;
  return ok_status();
}

std::vector<uint8_t> Apr2Writer::encode_header() const {
  return encode_apr2_header(
      {.version_major = 2,
       .version_minor = 0,
       .flags = flags_,
       .metadata_offset = static_cast<uint32_t>(kApr2HeaderBytes),
       .metadata_byte_count = static_cast<uint32_t>(metadata_byte_count_),
       .index_offset = static_cast<uint32_t>(kApr2HeaderBytes + metadata_byte_count_),
       .index_byte_count = static_cast<uint32_t>(index_byte_count_),
       .data_offset = static_cast<uint32_t>(data_offset_)});
}

std::vector<uint8_t> Apr2Writer::encode_index() const {
  std::vector<uint8_t> out;
  out.reserve(index_byte_count_);
  append<uint32_t>(out, static_cast<uint32_t>(tensors_.size()));
  append<uint32_t>(out, 0);
  for (const TensorInfo& tensor : tensors_) {
    append<uint16_t>(out, static_cast<uint16_t>(tensor.name.size()));
    append(out, std::string_view(tensor.name));
    append<uint8_t>(out, static_cast<uint8_t>(tensor.dtype));
    append<uint8_t>(out, static_cast<uint8_t>(tensor.shape.rank()));
    for (const uint64_t dim : tensor.shape.dims()) append<uint64_t>(out, dim);
    append<uint64_t>(out, tensor.file_offset - data_offset_);
    append<uint64_t>(out, tensor.stored_byte_count);
    append<uint64_t>(out, tensor.is_compressed ? tensor.raw_byte_count : 0);
    append<uint32_t>(out, 0);
  }
  return out;
}

Status Apr2Writer::begin(std::string_view metadata, ByteSink& sink) {
  SUSURRUS_CHECK(position_ == 0 && metadata.size() == metadata_byte_count_);
  SUSURRUS_RETURN_IF_ERROR(emit(encode_header(), sink));
  SUSURRUS_RETURN_IF_ERROR(emit(as_bytes(metadata), sink));
  SUSURRUS_RETURN_IF_ERROR(emit(encode_index(), sink));
  SUSURRUS_RETURN_IF_ERROR(pad_to(data_offset_, sink));
  skip_finished_tensors();
  return ok_status();
}

Status Apr2Writer::write(ByteSpan stored, ByteSink& sink) {
  if (stored.empty()) return ok_status();
  if (current_ == tensors_.size())
    return wrong_argument("write").with_got("bytes behind the last tensor");
  const TensorInfo& tensor = tensors_[current_];
  SUSURRUS_RETURN_IF_ERROR(pad_to(tensor.file_offset, sink));
  const uint64_t left = tensor.file_offset + tensor.stored_byte_count - position_;
  if (stored.size() > left)
    return wrong_argument(tensor.name).with_expected(left).with_got(stored.size());
  SUSURRUS_RETURN_IF_ERROR(emit(stored, sink));
  skip_finished_tensors();
  return ok_status();
}

void Apr2Writer::skip_finished_tensors() {
  while (current_ < tensors_.size()) {
    const TensorInfo& tensor = tensors_[current_];
    // One without bytes is finished, though the padding in front of it may still be missing.
    const uint64_t end = tensor.file_offset + tensor.stored_byte_count;
    if (tensor.stored_byte_count > 0 && position_ < end) break;
    ++current_;
  }
}

Status Apr2Writer::finish(ByteSink& sink) {
  // Only tensors without bytes may be left, and padding in front of them.
  while (current_ < tensors_.size() && tensors_[current_].stored_byte_count == 0) ++current_;
  if (current_ < tensors_.size()) {
    return make_error(ErrorCode::wrong_state, ErrorReason::state)
        .with_subject(tensors_[current_].name)
        .with_expected("all its bytes");
  }
  SUSURRUS_RETURN_IF_ERROR(pad_to(file_byte_count_ - kApr2FooterBytes, sink));
  footer_crc32_ = crc_.value();
  return emit(encode_apr2_footer({footer_crc32_, file_byte_count_}), sink);
}

Status Apr2Writer::emit(ByteSpan bytes, ByteSink& sink) {
  crc_.update(bytes);
  position_ += bytes.size();
  return sink.write(bytes);
}

Status Apr2Writer::pad_to(uint64_t file_offset, ByteSink& sink) {
  constexpr std::array<uint8_t, kDataAlignment> kZeros{};
  while (position_ < file_offset) {
    const uint64_t count = std::min<uint64_t>(file_offset - position_, kZeros.size());
    SUSURRUS_RETURN_IF_ERROR(emit(ByteSpan(kZeros.data(), count), sink));
  }
  return ok_status();
}

}  // namespace susurrus
