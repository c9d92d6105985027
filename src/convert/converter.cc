#include "convert/converter.h"

#include "base/json_document.h"
#include "container/apr2/apr2_metadata.h"
#include "container/name_families.h"
#include "container/whisper_tensors.h"

namespace susurrus {
namespace {

/// Where measured bytes go.
class NullSink : public ByteSink {
 public:
  Status write(ByteSpan) override { return ok_status(); }
};

/// Stored bytes of one tensor after the other, into the file.
class WriterSink : public ByteSink {
 public:
  WriterSink(Apr2FilesWriter& writer, ByteSink& file) : writer_(writer), file_(file) {}
  Status write(ByteSpan bytes) override { return writer_.write(bytes, file_); }

 private:
  Apr2FilesWriter& writer_;
  ByteSink& file_;
};

/// Decoded values, on to the encoder.
class EncoderSink : public ByteSink {
 public:
  EncoderSink(TensorEncoder& encoder, ByteSink& target) : encoder_(encoder), target_(target) {}
  Status write(ByteSpan bytes) override { return encoder_.push(bytes, target_); }

 private:
  TensorEncoder& encoder_;
  ByteSink& target_;
};

Error source_failed(std::string_view subject) {
  return make_error(ErrorCode::source_failed, ErrorReason::source).about(subject);
}

}  // namespace

Status Converter::keep(Status status) {
  if (!status) state_ = State::failed;
  return status;
}

Status Converter::require(State state) const {
  if (state_ == State::failed) {
    return make_error(ErrorCode::disabled_by_previous_error, ErrorReason::state).about("converter");
  }
  if (state_ != state || !output_.bytes().empty()) {
    return make_error(ErrorCode::wrong_state, ErrorReason::state)
        .about("converter")
        .expecting(output_.bytes().empty() ? "the calls in their order"
                                           : "the output drained first");
  }
  return ok_status();
}

Status Converter::add_source(const Checkpoint& checkpoint) {
  SUSURRUS_TRY(require(State::collecting));
  for (const CheckpointTensor& tensor : checkpoint.tensors) {
    source_tensors_.push_back(tensor);
    source_of_tensor_.push_back(source_count_);
  }
  ++source_count_;
  may_reverse_dims_ = may_reverse_dims_ || checkpoint.may_reverse_dims;
  return ok_status();
}

Status Converter::set_metadata(std::string_view json) {
  SUSURRUS_TRY(require(State::collecting));
  return keep(plan(json));
}

Status Converter::plan(std::string_view json) {
  SUSURRUS_ASSIGN(const JsonDocument document, JsonDocument::parse(json, JsonOrigin{}));
  SUSURRUS_ASSIGN(Apr2Metadata metadata, read_apr2_metadata(document, 2, 0));
  SUSURRUS_TRY(adapt_name_family(source_tensors_));
  std::vector<TensorInfo> tensors;
  for (const CheckpointTensor& tensor : source_tensors_) tensors.push_back(tensor.info);
  SUSURRUS_TRY(check_whisper_model(metadata.model, tensors));
  SUSURRUS_ASSIGN(plan_,
                  plan_conversion(metadata.model.dimensions, tensors, dtype_, may_reverse_dims_));
  for (auto* list : {&metadata.warnings, &plan_.warnings}) {
    for (std::string& warning : *list) warnings_.push_back(std::move(warning));
  }
  metadata_text_ = json;
  state_ = State::planned;
  return ok_status();
}

Converter::SourceRange Converter::source_range(uint32_t tensor) const {
  SourceRange range;
  if (tensor >= tensor_count()) return range;
  const uint32_t source = plan_.tensors[tensor].source;
  if (source == PlannedTensor::kComputed) return range;
  range.source = source_of_tensor_[source];
  range.offset = source_tensors_[source].info.file_offset;
  range.byte_count = source_tensors_[source].info.stored_byte_count;
  return range;
}

Status Converter::begin(Pass pass) {
  SUSURRUS_TRY(require(State::planned));
  return keep(start_pass(pass));
}

Status Converter::start_pass(Pass pass) {
  pass_ = pass;
  current_ = 0;
  if (pass == Pass::measure) {
    measured_.clear();
    encoder_target_ = std::make_unique<NullSink>();
  } else {
    if (needs_measuring() && measured_.size() != plan_.tensors.size()) {
      return make_error(ErrorCode::wrong_state, ErrorReason::state)
          .about("converter")
          .expecting("the measuring pass first");
    }
    SUSURRUS_ASSIGN(std::vector<TensorInfo> tensors, output_tensors());
    SUSURRUS_ASSIGN(writer_, Apr2FilesWriter::plan(metadata_text_, std::move(tensors), files_));
    encoder_target_ = std::make_unique<WriterSink>(*writer_, output_);
  }
  state_ = State::running;
  return start_tensor();
}

Result<std::vector<TensorInfo>> Converter::output_tensors() const {
  std::vector<TensorInfo> tensors;
  for (uint32_t i = 0; i < tensor_count(); ++i) {
    TensorInfo tensor;
    tensor.name = plan_.tensors[i].name;
    tensor.dtype = plan_.tensors[i].dtype;
    tensor.shape = plan_.tensors[i].shape;
    const auto raw = tensor_byte_count(tensor.dtype, tensor.shape);
    if (!raw)
      return make_error(ErrorCode::internal_error, ErrorReason::internal).about(tensor.name);
    tensor.is_compressed = is_compressed(i);
    tensor.stored_byte_count = tensor.is_compressed ? measured_[i] : *raw;
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

/// A tensor that does not shrink is stored raw (apr.md §3).
bool Converter::is_compressed(uint32_t tensor) const {
  if (!needs_measuring()) return false;
  const PlannedTensor& planned = plan_.tensors[tensor];
  return measured_[tensor] < tensor_byte_count(planned.dtype, planned.shape).value_or(0);
}

bool Converter::is_stored_by_rows(const PlannedTensor& tensor) const {
  return tensor.source != PlannedTensor::kComputed &&
         RowDecoder::is_needed(source_tensors_[tensor.source]);
}

Status Converter::start_tensor() {
  pushed_byte_count_ = 0;
  if (current_ == tensor_count()) return ok_status();
  const PlannedTensor& tensor = plan_.tensors[current_];
  Dtype source = Dtype::f32;
  if (is_stored_by_rows(tensor)) {
    SUSURRUS_TRY(rows_.start(source_tensors_[tensor.source]));
  } else if (tensor.source != PlannedTensor::kComputed) {
    source = source_tensors_[tensor.source].info.dtype;
  }
  encoder_.start(source, tensor.dtype, pass_ == Pass::measure || is_compressed(current_));
  return ok_status();
}

Status Converter::push(ByteSpan source_bytes) {
  SUSURRUS_TRY(require(State::running));
  return keep(encode(source_bytes));
}

Status Converter::encode(ByteSpan source_bytes) {
  const uint64_t expected = source_range(current_).byte_count;
  pushed_byte_count_ += source_bytes.size();
  if (source_bytes.size() > kMaxPushBytes || pushed_byte_count_ > expected) {
    return make_error(ErrorCode::invalid_argument, ErrorReason::option)
        .about("push")
        .expecting(expected)
        .having(pushed_byte_count_);
  }
  if (is_stored_by_rows(plan_.tensors[current_])) {
    EncoderSink sink(encoder_, *encoder_target_);
    return rows_.push(source_bytes, sink);
  }
  return encoder_.push(source_bytes, *encoder_target_);
}

Status Converter::finish_tensor() {
  SUSURRUS_TRY(require(State::running));
  return keep(end_tensor());
}

Status Converter::end_tensor() {
  if (current_ == tensor_count()) {
    return make_error(ErrorCode::wrong_state, ErrorReason::state).about("finish_tensor");
  }
  const PlannedTensor& tensor = plan_.tensors[current_];
  const uint64_t expected = source_range(current_).byte_count;
  if (pushed_byte_count_ != expected) {
    return source_failed(tensor.name).expecting(expected).having(pushed_byte_count_);
  }
  if (tensor.source == PlannedTensor::kComputed) SUSURRUS_TRY(encode_positions(tensor));
  SUSURRUS_TRY(encoder_.finish(*encoder_target_));
  if (pass_ == Pass::measure) {
    measured_.push_back(encoder_.stored_byte_count());
  } else if (encoder_.stored_byte_count() != writer_->tensors()[current_].stored_byte_count) {
    return source_failed(tensor.name)
        .expecting("the bytes that were measured")
        .having("other bytes: the source changed");
  } else {
    SUSURRUS_TRY(writer_->finish_tensor(output_));
  }
  ++current_;
  return start_tensor();
}

Status Converter::encode_positions(const PlannedTensor& tensor) {
  SUSURRUS_ASSIGN(AlignedBuffer row,
                  AlignedBuffer::allocate(tensor.shape[1] * sizeof(float), "row"));
  for (uint64_t position = 0; position < tensor.shape[0]; ++position) {
    encoder_position(position, row.floats());
    SUSURRUS_TRY(encoder_.push(row.bytes(), *encoder_target_));
  }
  return ok_status();
}

Status Converter::finish() {
  SUSURRUS_TRY(require(State::running));
  if (current_ != tensor_count()) {
    return keep(make_error(ErrorCode::wrong_state, ErrorReason::state)
                    .about("finish")
                    .expecting(tensor_count())
                    .having(current_));
  }
  state_ = State::planned;
  return pass_ == Pass::write ? keep(writer_->finish(output_)) : ok_status();
}

}  // namespace susurrus
