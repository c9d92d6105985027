#include "convert/converter.h"

#include <cmath>
#include <utility>

#include "convert/largest_value.h"

namespace susurrus {
namespace {

/// Discards bytes that are only measured.
class NullSink : public ByteSink {
 public:
  Status write(ByteSpan) override { return ok_status(); }
};

/// Decoded blocks or rows, on to the encoder.
class EncoderSink : public ByteSink {
 public:
  EncoderSink(TensorEncoder& encoder, ByteSink& target) : encoder_(encoder), target_(target) {}
  Status write(ByteSpan bytes) override { return encoder_.push(bytes, target_); }

 private:
  TensorEncoder& encoder_;
  ByteSink& target_;
};

Error source_failed(std::string_view subject) {
  return make_error(ErrorCode::source_failed, ErrorReason::source).with_subject(subject);
}

}  // namespace

Status Converter::keep(Status status) {
  if (!status) state_ = State::failed;
  return status;
}

Status Converter::require(State state) const {
  if (state_ == State::failed) {
    return make_error(ErrorCode::disabled_by_previous_error, ErrorReason::state)
        .with_subject("converter");
  }
  if (state_ != state || !output_.bytes().empty()) {
    return make_error(ErrorCode::wrong_state, ErrorReason::state)
        .with_subject("converter")
        .with_expected(output_.bytes().empty() ? "the calls in their order"
                                               : "the output drained first");
  }
  return ok_status();
}

Status Converter::add_source(const Checkpoint& checkpoint) {
  SUSURRUS_RETURN_IF_ERROR(require(State::collecting));
  for (const CheckpointTensor& tensor : checkpoint.tensors) {
    source_tensors_.push_back(tensor);
    file_of_tensor_.push_back(file_count_ + tensor.file);
  }
  file_count_ += checkpoint.file_count;
  may_reverse_dims_ = may_reverse_dims_ || checkpoint.may_reverse_dims;
  return ok_status();
}

Status Converter::set_metadata(std::string_view json) {
  SUSURRUS_RETURN_IF_ERROR(require(State::collecting));
  return keep(plan(json));
}

Converter::SourceRange Converter::source_range(uint32_t tensor) const {
  SourceRange range;
  if (tensor >= tensor_count()) return range;
  const CheckpointTensor* source = source_of(plan_.tensors[tensor]);
  if (source == nullptr) return range;
  range.source = file_of_tensor_[plan_.tensors[tensor].source];
  range.offset = source->info.file_offset;
  range.byte_count = source->info.stored_byte_count;
  return range;
}

/// Null for one that is computed.
const CheckpointTensor* Converter::source_of(const PlannedTensor& tensor) const {
  return tensor.source == PlannedTensor::kComputed ? nullptr : &source_tensors_[tensor.source];
}

Status Converter::begin(Pass pass) {
  SUSURRUS_RETURN_IF_ERROR(require(State::planned));
  return keep(start_pass(pass));
}

Status Converter::start_pass(Pass pass) {
  pass_ = pass;
  current_ = 0;
  switch (pass) {
    case Pass::scan: encoder_target_ = std::make_unique<LargestValue>(); break;
    case Pass::measure:
      measured_.clear();
      encoder_target_ = std::make_unique<NullSink>();
      break;
    case Pass::write: SUSURRUS_RETURN_IF_ERROR(start_writing()); break;
  }
  encoder_source_ = std::make_unique<EncoderSink>(encoder_, *encoder_target_);
  state_ = State::running;
  return start_tensor();
}

/// In APR2 a tensor that does not shrink is stored raw (apr.md §3); in APR1 all of them are streams or none.
bool Converter::is_compressed(uint32_t tensor) const {
  if (!needs_measuring()) return false;
  if (target_.format == Format::apr1) return true;
  const PlannedTensor& planned = plan_.tensors[tensor];
  return measured_[tensor] < tensor_byte_count(planned.dtype, planned.shape).value_or(0);
}

Status Converter::start_tensor() {
  pushed_byte_count_ = 0;
  if (current_ == tensor_count()) return ok_status();
  const PlannedTensor& tensor = plan_.tensors[current_];
  TensorEncoder::Type type;
  if (const CheckpointTensor* source = source_of(tensor)) {
    const TensorInfo& info = source->info;
    if (info.is_compressed) {
      SUSURRUS_RETURN_IF_ERROR(lz4_.start_passing(*encoder_source_, info.raw_byte_count,
                                                  info.stored_byte_count, info.file_offset,
                                                  info.name));
    }
    if (RowDecoder::is_needed(*source)) {
      SUSURRUS_RETURN_IF_ERROR(rows_.start(*source));
    } else {
      type = {info.dtype, info.scale};
    }
  }
  if (pass_ == Pass::scan) {
    encoder_.start(type, {}, false);
  } else {
    encoder_.start(type, {tensor.dtype, tensor.scale},
                   pass_ == Pass::measure || is_compressed(current_));
  }
  return ok_status();
}

Status Converter::push(ByteSpan source_bytes) {
  SUSURRUS_RETURN_IF_ERROR(require(State::running));
  return keep(encode(source_bytes));
}

Status Converter::encode(ByteSpan source_bytes) {
  const uint64_t expected = source_range(current_).byte_count;
  pushed_byte_count_ += source_bytes.size();
  if (source_bytes.size() > kMaxPushBytes || pushed_byte_count_ > expected) {
    return make_error(ErrorCode::invalid_argument, ErrorReason::option)
        .with_subject("push")
        .with_expected(expected)
        .with_got(pushed_byte_count_);
  }
  if (source_bytes.empty()) return ok_status();
  // What has bytes to push is not computed; what is compressed is not stored by rows.
  const CheckpointTensor& source = *source_of(plan_.tensors[current_]);
  if (source.info.is_compressed) return lz4_.push(source_bytes);
  if (RowDecoder::is_needed(source)) return rows_.push(source_bytes, *encoder_source_);
  return encoder_.push(source_bytes, *encoder_target_);
}

Status Converter::finish_tensor() {
  SUSURRUS_RETURN_IF_ERROR(require(State::running));
  return keep(end_tensor());
}

Status Converter::end_tensor() {
  if (current_ == tensor_count()) {
    return make_error(ErrorCode::wrong_state, ErrorReason::state).with_subject("finish_tensor");
  }
  const PlannedTensor& tensor = plan_.tensors[current_];
  const uint64_t expected = source_range(current_).byte_count;
  if (pushed_byte_count_ != expected) {
    return source_failed(tensor.name).with_expected(expected).with_got(pushed_byte_count_);
  }
  const CheckpointTensor* source = source_of(tensor);
  if (source == nullptr) {
    SUSURRUS_RETURN_IF_ERROR(encode_positions(tensor));
  } else if (source->info.is_compressed) {
    SUSURRUS_RETURN_IF_ERROR(lz4_.finish());
  }
  SUSURRUS_RETURN_IF_ERROR(encoder_.finish(*encoder_target_));
  if (pass_ == Pass::scan) {
    SUSURRUS_RETURN_IF_ERROR(set_scale(static_cast<LargestValue&>(*encoder_target_).take()));
  } else if (pass_ == Pass::measure) {
    measured_.push_back(encoder_.stored_byte_count());
  } else if (encoder_.stored_byte_count() != writer_->tensors()[current_].stored_byte_count) {
    return source_failed(tensor.name)
        .with_expected("the bytes that were measured")
        .with_got("other bytes: the source changed");
  } else {
    SUSURRUS_RETURN_IF_ERROR(writer_->finish_tensor(output_));
    written_.push_back({tensor.dtype, encoder_.relative_error()});
  }
  ++current_;
  return start_tensor();
}

/// apr.md §1.5. Integers that have a scale already keep it.
Status Converter::set_scale(float largest) {
  PlannedTensor& tensor = plan_.tensors[current_];
  if (const CheckpointTensor* source = source_of(tensor); source && source->info.scale > 0) {
    tensor.scale = source->info.scale;
    return ok_status();
  }
  if (!std::isfinite(largest)) {
    return make_error(ErrorCode::malformed, ErrorReason::bad_scale)
        .with_subject(tensor.name)
        .with_expected("finite values");
  }
  tensor.scale = integer_scale(largest);
  return ok_status();
}

Status Converter::encode_positions(const PlannedTensor& tensor) {
  SUSURRUS_ASSIGN_OR_RETURN(AlignedBuffer row,
                            AlignedBuffer::allocate(tensor.shape[1] * sizeof(float), "row"));
  for (uint64_t position = 0; position < tensor.shape[0]; ++position) {
    encoder_position(position, row.floats());
    SUSURRUS_RETURN_IF_ERROR(encoder_.push(row.bytes(), *encoder_target_));
  }
  return ok_status();
}

Status Converter::finish() {
  SUSURRUS_RETURN_IF_ERROR(require(State::running));
  if (current_ != tensor_count()) {
    return keep(make_error(ErrorCode::wrong_state, ErrorReason::state)
                    .with_subject("finish")
                    .with_expected(tensor_count())
                    .with_got(current_));
  }
  state_ = State::planned;
  return pass_ == Pass::write ? keep(writer_->finish(output_)) : ok_status();
}

}  // namespace susurrus
