#pragma once
#include "container/dtype.h"
#include "stream/byte_sink.h"
#include "stream/lz4_block_writer.h"

namespace susurrus {

/// Re-encodes tensors one after the other: bytes of one dtype in, stored bytes of another out, in bounded memory.
class TensorEncoder {
 public:
  /// A dtype, and with i8 the scale of its integers.
  struct Type {
    Dtype dtype = Dtype::f32;
    float scale = 0;
  };
  /// Two weight types, or i8; the same twice goes over as it is. Integers that become q8_0 stay the same integers, with a
  /// scale that dtype_of_scaled_integers() found good for that.
  void start(Type source, Type target, bool compress);
  Status push(ByteSpan source_bytes, ByteSink& sink);
  /// malformed when the tensor ended inside an element or block.
  Status finish(ByteSink& sink);
  /// Stored bytes given to the sink since start().
  uint64_t stored_byte_count() const { return stored_byte_count_; }
  /// What the values lost since start(): the root of the sum of squared differences, over that of the squared values. Values
  /// that are not finite count for nothing.
  double relative_error() const;

 private:
  Status convert(ByteSpan units, ByteSink& sink);
  void convert_values(const uint8_t* source, size_t count, uint8_t* target);
  void count_error(const float* values, size_t count, const uint8_t* encoded);
  Status emit(ByteSpan raw, ByteSink& sink);

  // The least that converts by itself: a block of the type that has the larger ones, at most 32 f32.
  static constexpr size_t kMaxUnitBytes = 128;

  Type source_;
  Type target_;
  bool compress_ = false;
  size_t unit_byte_count_ = 4;
  uint8_t cut_unit_[kMaxUnitBytes] = {};
  size_t cut_size_ = 0;
  Lz4BlockWriter lz4_;
  uint64_t stored_byte_count_ = 0;
  double squared_values_ = 0;
  double squared_errors_ = 0;
};

}  // namespace susurrus
