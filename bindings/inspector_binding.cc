#include "inspector_binding.h"

#include <emscripten/bind.h>

#include "audio/mel_filterbank.h"
#include "base/json_writer.h"
#include "container/apr1/apr1_facts.h"
#include "container/apr2/apr2_flags.h"

namespace susurrus {

ErrorText InspectorBinding::finish() {
  Status status = reader_.finish();
  if (status && reader_.missing_files().empty()) complete();
  return failure(status);
}

void InspectorBinding::complete() {
  metadata_text_ = sink_.header().empty() ? std::string(sink_.metadata_text())
                                          : apr1_metadata_text(sink_.header(), sink_.metadata());
  ModelMetadata& metadata = sink_.metadata();
  AlignedBuffer& filterbank = metadata.mel_filterbank;
  if (sink_.format().starts_with("APR1") && filterbank.byte_count() > 0 &&
      !MelFilterbank::is_slaney(metadata.dimensions.n_mels, std::as_const(filterbank).floats())) {
    filterbank.reset();
    sink_.on_warning(kWrongFilterbank);
  }
}

std::string InspectorBinding::architecture() const {
  return architecture_text(sink_.metadata().dimensions);
}

std::string InspectorBinding::facts() const {
  JsonWriter json;
  json.begin_object()
      .field("format", sink_.format())
      .field("version",
             std::to_string(sink_.version_major()) + "." + std::to_string(sink_.version_minor()))
      .field("flags", sink_.flag_names())
      .field("byteCount", reader_.position())
      .field("warnings", std::span<const std::string>(sink_.warnings()));
  json.key("shards").begin_array();
  for (const InspectedPart& part : sink_.parts()) {
    json.begin_object()
        .field("file", std::string_view(part.file))
        .field("flags", apr2_flag_names(part.flags))
        .end_object();
  }
  json.end_array().key("tensors").begin_array();
  for (size_t i = 0; i < sink_.tensors().size(); ++i) {
    const TensorInfo& tensor = sink_.tensors()[i];
    json.begin_object()
        .field("name", std::string_view(tensor.name))
        .field("dtype", dtype_traits(tensor.dtype).name)
        .field("shape", tensor.shape.dims())
        .field("offset", tensor.file_offset)
        .field("size", tensor.stored_byte_count)
        .field("rawSize", tensor.raw_byte_count);
    if (tensor.scale != 0) json.field("scale", tensor.scale);
    if (!sink_.parts().empty()) json.field("shard", sink_.file_of(i));
    json.end_object();
  }
  json.end_array();
  if (!sink_.sections().empty()) {
    json.key("sections").begin_array();
    for (const FileSection& section : sink_.sections()) {
      json.begin_object()
          .field("name", section.name)
          .field("offset", section.offset)
          .field("size", section.byte_count)
          .end_object();
    }
    json.end_array();
  }
  return std::move(json.end_object()).text();
}

EMSCRIPTEN_BINDINGS(inspector) {
  emscripten::class_<InspectorBinding>("Inspector")
      .constructor<>()
      .function("inputWindow(byteCount)", &InspectorBinding::input_window)
      .function("setByteCount(byteCount)", &InspectorBinding::set_byte_count)
      .function("push(byteCount)", &InspectorBinding::push)
      .function("finish", &InspectorBinding::finish)
      .function("missingFiles", &InspectorBinding::missing_files)
      .function("metadataText", &InspectorBinding::metadata_text)
      .function("architecture", &InspectorBinding::architecture)
      .function("vocabularyBytes", &InspectorBinding::vocabulary_bytes)
      .function("vocabularyEnds", &InspectorBinding::vocabulary_ends)
      .function("filterbank", &InspectorBinding::filterbank)
      .function("facts", &InspectorBinding::facts);
}

}  // namespace susurrus
