#include "checkpoint_binding.h"

#include <emscripten/bind.h>

namespace susurrus {
ErrorText CheckpointBinding::push(double byte_count) {
  auto bytes = window_.filled(byte_count);
  if (!bytes) return failure(bytes);
  if (!reader_) {
    auto reader = open_checkpoint(*bytes, file_byte_count_);
    if (!reader) return failure(reader);
    reader_ = std::move(reader).value();
  }
  return failure(reader_->push(*bytes));
}

ErrorText CheckpointBinding::finish() {
  if (!reader_) {
    // There was nothing to push.
    return failure(open_checkpoint({}, file_byte_count_));
  }
  return failure(reader_->finish());
}

const Checkpoint& CheckpointBinding::checkpoint() const {
  static const Checkpoint none;
  return reader_ ? reader_->checkpoint() : none;
}

EMSCRIPTEN_BINDINGS(checkpoint) {
  emscripten::class_<CheckpointBinding, emscripten::base<CheckpointSource>>("Checkpoint")
      .constructor<double>()
      .function("inputWindow(byteCount)", &CheckpointBinding::input_window)
      .function("push(byteCount)", &CheckpointBinding::push)
      .function("skippable", &CheckpointBinding::skippable)
      .function("skip(byteCount)", &CheckpointBinding::skip)
      .function("isComplete", &CheckpointBinding::is_complete)
      .function("finish", &CheckpointBinding::finish);
}

}  // namespace susurrus
