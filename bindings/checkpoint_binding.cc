#include "checkpoint_binding.h"

#include <emscripten/bind.h>

#include "container/dimensions_json.h"

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

std::string CheckpointBinding::facts() const {
  const Checkpoint& checkpoint = this->checkpoint();
  JsonWriter json;
  json.begin_object().field("format", checkpoint.format);
  if (checkpoint.dimensions) write_dimensions(json.key("architecture"), *checkpoint.dimensions);
  const CheckpointTensor* largest = nullptr;
  for (const CheckpointTensor& tensor : checkpoint.tensors) {
    if (largest == nullptr || tensor.info.raw_byte_count > largest->info.raw_byte_count) {
      largest = &tensor;
    }
  }
  if (largest != nullptr) json.field("dtype", dtype_traits(largest->info.dtype).name);
  json.field("hasByteLevelText", checkpoint.has_byte_level_text)
      .field("warnings", std::span<const std::string>(checkpoint.warnings));
  return std::move(json.end_object()).text();
}

EMSCRIPTEN_BINDINGS(checkpoint) {
  emscripten::class_<CheckpointBinding>("Checkpoint")
      .constructor<double>()
      .function("inputWindow(byteCount)", &CheckpointBinding::input_window)
      .function("push(byteCount)", &CheckpointBinding::push)
      .function("skippable", &CheckpointBinding::skippable)
      .function("skip(byteCount)", &CheckpointBinding::skip)
      .function("isComplete", &CheckpointBinding::is_complete)
      .function("finish", &CheckpointBinding::finish)
      .function("facts", &CheckpointBinding::facts)
      .function("vocabularyBytes", &CheckpointBinding::vocabulary_bytes)
      .function("vocabularyEnds", &CheckpointBinding::vocabulary_ends)
      .function("filterbank", &CheckpointBinding::filterbank);
}

}  // namespace susurrus
