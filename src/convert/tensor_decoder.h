#pragma once
#include <array>
#include <span>

#include "container/checkpoint.h"
#include "convert/number_type.h"
#include "convert/row_decoder.h"
#include "stream/byte_sink.h"
#include "stream/lz4_block_stream.h"

namespace susurrus {

/// Receives a tensor while it is decoded.
class DecodedTensorSink {
 public:
  virtual ~DecodedTensorSink() = default;
  /// The next bytes as the file's type has them, no longer compressed.
  virtual void on_stored(ByteSpan bytes) = 0;
  /// The next values, in the tensor's order.
  virtual void on_values(std::span<const float> values) = 0;
};

/// Turns the stored bytes of one tensor, pushed in pieces of any size, into values: LZ4 blocks, all types, integers with
/// divisors or a scale, convolutions whose channels come last. Holds a block, or a row where rows must be reordered.
class TensorDecoder : private ByteSink {
 public:
  /// Push compressed tensors in pieces of at most this size, so that the output stays small.
  static constexpr size_t kMaxCompressedBytes = 8 << 10;

  explicit TensorDecoder(DecodedTensorSink& sink) : sink_(sink) {}

  /// `tensor` stays until the next start. unsupported_feature: its type is not numeric.
  Status start(const CheckpointTensor& tensor);
  /// Plain numbers of any format; integers q stand for scale · (q - offset).
  struct Numbers {
    std::string_view name;
    std::string_view type;
    uint64_t byte_count = 0;
    float scale = 1;
    float offset = 0;
  };
  Status start(const Numbers& tensor);
  /// Not more than the tensor has.
  Status push(ByteSpan stored);
  /// After the last byte: truncated_input where some are missing.
  Status finish() const;

 private:
  /// Decoded rows.
  class RowSink : public ByteSink {
   public:
    explicit RowSink(DecodedTensorSink& sink) : sink_(sink) {}
    Status write(ByteSpan bytes) override;

   private:
    DecodedTensorSink& sink_;
  };

  Status begin(std::string_view name, uint64_t stored_byte_count);
  Status write(ByteSpan raw) override;
  void decode(const uint8_t* units, size_t unit_count);
  bool is_scaled() const { return scale_ != 1 || offset_ != 0; }

  static constexpr size_t kValues = 1024;
  static constexpr size_t kMostUnitBytes = 34;

  DecodedTensorSink& sink_;
  RowSink rows_{sink_};
  RowDecoder row_decoder_;
  Lz4BlockStream lz4_;
  std::string_view name_;
  bool is_compressed_ = false;
  bool has_rows_ = false;
  uint64_t left_ = 0;

  Dtype dtype_ = Dtype::f32;
  const NumberType* numbers_ = nullptr;  // null: dtype_
  float scale_ = 1;
  float offset_ = 0;
  uint32_t unit_bytes_ = 1;
  uint32_t unit_values_ = 1;
  uint8_t unit_[kMostUnitBytes] = {};
  size_t gathered_ = 0;
  std::array<float, kValues> values_;
};

}  // namespace susurrus
