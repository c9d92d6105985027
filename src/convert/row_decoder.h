#pragma once
#include "base/aligned_buffer.h"
#include "container/checkpoint.h"
#include "stream/byte_sink.h"

namespace susurrus {

/// Values of tensors whose rows are stored in another form than their values': integers with a divisor, convolutions with
/// their channels last. Gives f32, holding one row.
class RowDecoder {
 public:
  static bool is_needed(const CheckpointTensor& tensor) {
    return tensor.is_channels_last || !tensor.row_divisors.empty();
  }
  /// `tensor` stays until the next start().
  Status start(const CheckpointTensor& tensor);
  /// Pieces of the tensor's bytes, in order.
  Status push(ByteSpan stored, ByteSink& sink);

 private:
  void decode_row(const uint8_t* stored);

  const CheckpointTensor* tensor_ = nullptr;
  AlignedBuffer stored_;
  AlignedBuffer values_;
  AlignedBuffer reordered_;
  size_t gathered_ = 0;
  uint64_t row_ = 0;
};

}  // namespace susurrus
