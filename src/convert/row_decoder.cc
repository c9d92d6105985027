#include "convert/row_decoder.h"

#include <algorithm>

#include "convert/quantize.h"

namespace susurrus {

Status RowDecoder::start(const CheckpointTensor& tensor) {
  tensor_ = &tensor;
  gathered_ = 0;
  row_ = 0;
  const uint64_t rows = std::max<uint64_t>(tensor.info.shape[0], 1);
  const uint64_t elements = tensor.info.shape.element_count().value_or(0) / rows;
  SUSURRUS_ASSIGN_OR_RETURN(stored_,
                            AlignedBuffer::allocate(tensor.info.stored_byte_count / rows, "row"));
  SUSURRUS_ASSIGN_OR_RETURN(values_, AlignedBuffer::allocate(elements * sizeof(float), "row"));
  if (tensor.is_channels_last) {
    SUSURRUS_ASSIGN_OR_RETURN(reordered_, AlignedBuffer::allocate(elements * sizeof(float), "row"));
  }
  return ok_status();
}

Status RowDecoder::push(ByteSpan bytes, ByteSink& sink) {
  while (!bytes.empty()) {
    const size_t count = std::min(stored_.byte_count() - gathered_, bytes.size());
    std::memcpy(stored_.data() + gathered_, bytes.data(), count);
    gathered_ += count;
    bytes = bytes.subspan(count);
    if (gathered_ < stored_.byte_count()) break;
    gathered_ = 0;
    decode_row(stored_.data());
    ++row_;
    SUSURRUS_RETURN_IF_ERROR(
        sink.write(tensor_->is_channels_last ? reordered_.bytes() : values_.bytes()));
  }
  return ok_status();
}

void RowDecoder::decode_row(const uint8_t* stored) {
  const std::span<float> values = values_.floats();
  if (tensor_->row_divisors.empty()) {
    read_floats(tensor_->info.dtype, stored, values.size(), values.data());
  } else {
    const float divisor = tensor_->row_divisors[row_];
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<float>(static_cast<int8_t>(stored[i])) / divisor;
    }
  }
  if (!tensor_->is_channels_last) return;
  const size_t kernel = tensor_->info.shape.last();
  const size_t channels = values.size() / kernel;
  const std::span<float> reordered = reordered_.floats();
  for (size_t tap = 0; tap < kernel; ++tap) {
    for (size_t channel = 0; channel < channels; ++channel) {
      reordered[channel * kernel + tap] = values[tap * channels + channel];
    }
  }
}

}  // namespace susurrus
