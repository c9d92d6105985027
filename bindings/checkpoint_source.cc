#include "checkpoint_source.h"

#include <emscripten/bind.h>

#include "base/json_writer.h"
#include "container/apr2/apr2_metadata.h"

namespace susurrus {

std::string CheckpointSource::checkpoint_facts() const {
  const Checkpoint& checkpoint = this->checkpoint();
  JsonWriter json;
  json.begin_object().field("format", checkpoint.format);
  if (checkpoint.dimensions) {
    json.key("architecture").json(architecture_text(*checkpoint.dimensions));
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

EMSCRIPTEN_BINDINGS(checkpoint_source) {
  emscripten::class_<CheckpointSource>("CheckpointSource")
      .function("checkpointFacts", &CheckpointSource::checkpoint_facts)
      .function("vocabularyBytes", &CheckpointSource::vocabulary_bytes)
      .function("vocabularyEnds", &CheckpointSource::vocabulary_ends)
      .function("filterbank", &CheckpointSource::filterbank);
}

}  // namespace susurrus
