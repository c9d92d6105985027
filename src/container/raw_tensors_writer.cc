#include "container/raw_tensors_writer.h"
#include "container/read_error.h"

#include <utility>

namespace susurrus {

RawTensorsWriter::RawTensorsWriter(std::vector<TensorInfo> tensors) : tensors_(std::move(tensors)) {
  for (TensorInfo& tensor : tensors_) tensor.raw_byte_count = tensor.stored_byte_count;
}

Status RawTensorsWriter::check_tensors() const {
  if (tensors_.empty()) return wrong_argument("tensors").with_expected("at least one");
  for (const TensorInfo& tensor : tensors_) {
    const auto byte_count = tensor_byte_count(tensor.dtype, tensor.shape);
    if (tensor.is_compressed || byte_count != tensor.stored_byte_count) {
      return wrong_argument(tensor.name)
          .with_expected(byte_count.value_or(0))
          .with_got(tensor.stored_byte_count);
    }
  }
  return ok_status();
}

Status RawTensorsWriter::begin(ByteSink& sink) {
  SUSURRUS_RETURN_IF_ERROR(sink.write(file_header()));
  return begin_tensor(sink);
}

Status RawTensorsWriter::begin_tensor(ByteSink& sink) {
  written_ = 0;
  return current_ == tensors_.size() ? ok_status() : sink.write(tensor_header(tensors_[current_]));
}

Status RawTensorsWriter::write(ByteSpan stored, ByteSink& sink) {
  const uint64_t left =
      current_ == tensors_.size() ? 0 : tensors_[current_].stored_byte_count - written_;
  if (stored.size() > left) {
    return wrong_argument("write").with_expected(left).with_got(stored.size());
  }
  written_ += stored.size();
  return stored.empty() ? ok_status() : sink.write(stored);
}

Status RawTensorsWriter::finish_tensor(ByteSink& sink) {
  if (current_ == tensors_.size() || written_ != tensors_[current_].stored_byte_count) {
    return make_error(ErrorCode::wrong_state, ErrorReason::state)
        .with_subject("finish_tensor")
        .with_expected(current_ == tensors_.size() ? 0 : tensors_[current_].stored_byte_count)
        .with_got(written_);
  }
  ++current_;
  return begin_tensor(sink);
}

Status RawTensorsWriter::finish(ByteSink&) {
  if (current_ == tensors_.size()) return ok_status();
  return make_error(ErrorCode::wrong_state, ErrorReason::state)
      .with_subject("finish")
      .with_expected(tensors_.size())
      .with_got(current_);
}

}  // namespace susurrus
