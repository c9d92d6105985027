#include "convert/tensor_decoder.h"

#include <algorithm>

#include "convert/quantize.h"

namespace susurrus {

Status TensorDecoder::RowSink::write(ByteSpan bytes) {
  // Rows come whole from aligned memory.
  sink_.on_values({reinterpret_cast<const float*>(bytes.data()), bytes.size() / sizeof(float)});
  return ok_status();
}

Status TensorDecoder::start(const CheckpointTensor& tensor) {
  const TensorInfo& info = tensor.info;
  const DtypeTraits& traits = dtype_traits(info.dtype);
  dtype_ = info.dtype;
  scale_ = info.scale != 0 ? info.scale : 1;
  offset_ = 0;
  numbers_ = is_weight_dtype(dtype_) ? nullptr : find_number_type(traits.name);
  unit_bytes_ = traits.bytes_per_block;
  unit_values_ = traits.elements_per_block;
  is_compressed_ = info.is_compressed;
  has_rows_ = RowDecoder::is_needed(tensor);
  if (has_rows_) SUSURRUS_RETURN_IF_ERROR(row_decoder_.start(tensor));
  if (is_compressed_) {
    SUSURRUS_RETURN_IF_ERROR(lz4_.start_passing(*this, info.raw_byte_count, info.stored_byte_count,
                                                info.file_offset, info.name));
  }
  return begin(info.name, info.stored_byte_count);
}

Status TensorDecoder::start(const Numbers& tensor) {
  numbers_ = find_number_type(tensor.type);
  if (numbers_ == nullptr) {
    return make_error(ErrorCode::unsupported_feature, ErrorReason::unsupported_dtype)
        .with_subject(tensor.name)
        .with_expected("a type of numbers")
        .with_got(tensor.type);
  }
  scale_ = numbers_->is_integer ? tensor.scale : 1;
  offset_ = numbers_->is_integer ? tensor.offset : 0;
  unit_bytes_ = numbers_->byte_count;
  unit_values_ = 1;
  is_compressed_ = false;
  has_rows_ = false;
  return begin(tensor.name, tensor.byte_count);
}

Status TensorDecoder::begin(std::string_view name, uint64_t stored_byte_count) {
  name_ = name;
  left_ = stored_byte_count;
  gathered_ = 0;
  return ok_status();
}

Status TensorDecoder::push(ByteSpan stored) {
  if (stored.size() > left_) {
    return make_error(ErrorCode::invalid_argument, ErrorReason::bounds)
        .with_subject(name_)
        .with_expected(left_)
        .with_got(stored.size());
  }
  left_ -= stored.size();
  return is_compressed_ ? lz4_.push(stored) : write(stored);
}

Status TensorDecoder::finish() const {
  if (left_ > 0) {
    return make_error(ErrorCode::truncated_input, ErrorReason::truncated)
        .with_subject(name_)
        .with_expected(left_)
        .with_got("the end");
  }
  return is_compressed_ ? lz4_.finish() : ok_status();
}

Status TensorDecoder::write(ByteSpan raw) {
  sink_.on_stored(raw);
  if (has_rows_) return row_decoder_.push(raw, rows_);
  while (!raw.empty()) {
    if (gathered_ > 0 || raw.size() < unit_bytes_) {
      // A unit that the end of a piece cuts waits for the next one.
      const size_t count = std::min<size_t>(unit_bytes_ - gathered_, raw.size());
      std::memcpy(unit_ + gathered_, raw.data(), count);
      gathered_ += count;
      raw = raw.subspan(count);
      if (gathered_ < unit_bytes_) break;
      gathered_ = 0;
      decode(unit_, 1);
      continue;
    }
    const size_t units = std::min<size_t>(raw.size() / unit_bytes_, kValues / unit_values_);
    decode(raw.data(), units);
    raw = raw.subspan(units * unit_bytes_);
  }
  return ok_status();
}

void TensorDecoder::decode(const uint8_t* units, size_t unit_count) {
  const size_t count = unit_count * unit_values_;
  if (numbers_ != nullptr) {
    numbers_->read(units, count, values_.data());
  } else {
    read_floats(dtype_, units, count, values_.data());
  }
  if (is_scaled()) {
    for (float& value : std::span(values_).first(count)) value = scale_ * (value - offset_);
  }
  sink_.on_values(std::span(values_).first(count));
}

}  // namespace susurrus
