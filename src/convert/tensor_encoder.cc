#include "convert/tensor_encoder.h"

#include <algorithm>
#include <cmath>

#include "convert/quantize.h"
#include "tensor/scaled_integers.h"

namespace susurrus {
namespace {

constexpr size_t kBatchValues = 2048;

class CountingSink : public ByteSink {
 public:
  CountingSink(ByteSink& sink, uint64_t& count) : sink_(sink), count_(count) {}
  Status write(ByteSpan bytes) override {
    count_ += bytes.size();
    return sink_.write(bytes);
  }

 private:
  ByteSink& sink_;
  uint64_t& count_;
};

void read_values(const TensorEncoder::Type& type, const uint8_t* source, size_t count,
                 float* values) {
  if (type.dtype == Dtype::i8) {
    read_scaled(type.scale, source, count, values);
  } else {
    read_floats(type.dtype, source, count, values);
  }
}

}  // namespace

void TensorEncoder::start(Type source, Type target, bool compress) {
  source_ = source;
  target_ = target;
  compress_ = compress;
  const DtypeTraits& from = dtype_traits(source.dtype);
  unit_byte_count_ =
      size_t{from.bytes_per_block} *
      std::max(dtype_traits(target.dtype).elements_per_block / from.elements_per_block, 1u);
  cut_size_ = 0;
  stored_byte_count_ = 0;
  squared_values_ = 0;
  squared_errors_ = 0;
}

Status TensorEncoder::push(ByteSpan bytes, ByteSink& sink) {
  if (source_.dtype == target_.dtype && source_.scale == target_.scale) return emit(bytes, sink);
  if (cut_size_ > 0) {
    const size_t count = std::min(unit_byte_count_ - cut_size_, bytes.size());
    std::memcpy(cut_unit_ + cut_size_, bytes.data(), count);
    cut_size_ += count;
    bytes = bytes.subspan(count);
    if (cut_size_ < unit_byte_count_) return ok_status();
    cut_size_ = 0;
    SUSURRUS_RETURN_IF_ERROR(convert(ByteSpan(cut_unit_, unit_byte_count_), sink));
  }
  const size_t whole = bytes.size() / unit_byte_count_ * unit_byte_count_;
  SUSURRUS_RETURN_IF_ERROR(convert(bytes.first(whole), sink));
  bytes = bytes.subspan(whole);
  if (!bytes.empty()) std::memcpy(cut_unit_, bytes.data(), bytes.size());
  cut_size_ = bytes.size();
  return ok_status();
}

void TensorEncoder::convert_values(const uint8_t* source, size_t count, uint8_t* target) {
  float values[kBatchValues];
  read_values(source_, source, count, values);
  if (source_.dtype == Dtype::i8 && target_.dtype == Dtype::q8_0) {
    const DtypeTraits& block = dtype_traits(Dtype::q8_0);
    uint8_t* at = target;
    for (size_t i = 0; i < count; i += block.elements_per_block, at += block.bytes_per_block) {
      store_le(at, half_of_scale(source_.scale));
      std::memcpy(at + sizeof(uint16_t), source + i, block.elements_per_block);
    }
  } else if (target_.dtype == Dtype::i8) {
    write_scaled(target_.scale, values, count, target);
  } else {
    write_floats(target_.dtype, values, count, target);
  }
  if (target_.dtype != Dtype::f32) count_error(values, count, target);
}

void TensorEncoder::count_error(const float* values, size_t count, const uint8_t* encoded) {
  float decoded[kBatchValues];
  read_values(target_, encoded, count, decoded);
  for (size_t i = 0; i < count; ++i) {
    const double value = static_cast<double>(values[i]);
    if (!std::isfinite(value)) continue;
    // What became infinite is lost.
    const double error =
        std::isfinite(decoded[i]) ? static_cast<double>(decoded[i]) - value : value;
    squared_values_ += value * value;
    squared_errors_ += error * error;
  }
}

double TensorEncoder::relative_error() const {
  return squared_errors_ > 0 ? std::sqrt(squared_errors_ / squared_values_) : 0;
}

Status TensorEncoder::convert(ByteSpan units, ByteSink& sink) {
  uint8_t encoded[kBatchValues * sizeof(float)];
  const DtypeTraits& source = dtype_traits(source_.dtype);
  const DtypeTraits& target = dtype_traits(target_.dtype);
  while (!units.empty()) {
    const size_t count =
        std::min(kBatchValues, units.size() / source.bytes_per_block * source.elements_per_block);
    convert_values(units.data(), count, encoded);
    units = units.subspan(count / source.elements_per_block * source.bytes_per_block);
    SUSURRUS_RETURN_IF_ERROR(
        emit(ByteSpan(encoded, count / target.elements_per_block * target.bytes_per_block), sink));
  }
  return ok_status();
}

Status TensorEncoder::emit(ByteSpan raw, ByteSink& sink) {
  CountingSink counting(sink, stored_byte_count_);
  return compress_ ? lz4_.write(raw, counting) : counting.write(raw);
}

Status TensorEncoder::finish(ByteSink& sink) {
  if (cut_size_ > 0) {
    return make_error(ErrorCode::malformed, ErrorReason::size_mismatch)
        .with_subject("tensor")
        .with_expected("whole elements and blocks");
  }
  CountingSink counting(sink, stored_byte_count_);
  return compress_ ? lz4_.finish(counting) : ok_status();
}

}  // namespace susurrus
