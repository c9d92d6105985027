#include "checkpoint_binding.h"

#include <emscripten/bind.h>

#include "base/json_writer.h"

namespace susurrus {
namespace {

struct DimensionKey {
  const char* name;
  uint32_t WhisperDimensions::* field;
};

constexpr DimensionKey kDimensionKeys[] = {
    {"n_vocab", &WhisperDimensions::n_vocab},
    {"n_audio_ctx", &WhisperDimensions::n_audio_ctx},
    {"n_text_ctx", &WhisperDimensions::n_text_ctx},
    {"n_mels", &WhisperDimensions::n_mels},
    {"n_audio_layer", &WhisperDimensions::n_audio_layer},
    {"n_text_layer", &WhisperDimensions::n_text_layer},
    {"n_audio_head", &WhisperDimensions::n_audio_head},
    {"n_text_head", &WhisperDimensions::n_text_head},
    {"n_audio_state", &WhisperDimensions::n_audio_state},
    {"n_text_state", &WhisperDimensions::n_text_state},
};

}  // namespace

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
  if (checkpoint.dimensions) {
    json.key("architecture").begin_object();
    for (const DimensionKey& key : kDimensionKeys) {
      json.field(key.name, *checkpoint.dimensions.*key.field);
    }
    json.end_object();
  }
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
