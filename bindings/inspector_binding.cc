#include "inspector_binding.h"

#include <emscripten/bind.h>

#include "base/json_writer.h"
#include "container/apr2/apr2_flags.h"
#include "container/apr2/apr2_metadata.h"

namespace susurrus {

ErrorText InspectorBinding::finish() {
  Status status = reader_.finish();
  if (status && reader_.missing_file_count() == 0 && reader_.describer() == nullptr) complete();
  return failure(status);
}

void InspectorBinding::complete() {
  InspectSink& sink = reader_.sink();
  if (const WhisperMetadata* whisper = sink.metadata().whisper()) {
    const std::span<const float> values = std::as_const(sink.metadata().mel_filterbank).floats();
    if (!values.empty())
      stored_filterbank_ = describe_filterbank(whisper->dimensions.n_mels, values);
  }
  const std::string_view warning = choose_filterbank(filterbank_, sink.format(), sink.metadata());
  if (!warning.empty()) sink.on_warning(warning);
  checkpoint_ = sink.take_checkpoint();
}

std::string InspectorBinding::facts() const {
  if (reader_.describer() != nullptr) return reader_.describer()->facts();
  const InspectSink& sink = reader_.sink();
  JsonWriter json;
  json.begin_object()
      .field("format", sink.format())
      .field("version",
             std::to_string(sink.version_major()) + "." + std::to_string(sink.version_minor()))
      .field("flags", sink.flag_names())
      .field("byteCount", reader_.position())
      .field("warnings", std::span<const std::string>(sink.warnings()));
  if (const WhisperMetadata* whisper = sink.metadata().whisper()) {
    json.key("dims").json(architecture_text(whisper->dimensions));
  }
  if (stored_filterbank_) {
    const StoredFilterbank& stored = *stored_filterbank_;
    json.key("melFilterbank").begin_object();
    json.key("shape").begin_array().value(stored.n_mels).value(kFrequencyBins).end_array();
    json.field("kind", stored.kind).field("firstRowSum", stored.first_row_sum).end_object();
  }
  json.key("shards").begin_array();
  for (const InspectedPart& part : sink.parts()) {
    json.begin_object()
        .field("file", std::string_view(part.file))
        .field("flags", apr2_flag_names(part.flags))
        .end_object();
  }
  json.end_array().key("tensors").begin_array();
  for (size_t i = 0; i < sink.tensors().size(); ++i) {
    const TensorInfo& tensor = sink.tensors()[i];
    json.begin_object()
        .field("name", std::string_view(tensor.name))
        .field("dtype", dtype_traits(tensor.dtype).name)
        .field("shape", tensor.shape.dims())
        .field("offset", tensor.file_offset)
        .field("size", tensor.stored_byte_count)
        .field("rawSize", tensor.raw_byte_count);
    if (tensor.scale != 0) json.field("scale", tensor.scale);
    if (tensor.flags != 0) json.field("flags", tensor.flags);
    if (!sink.parts().empty()) json.field("shard", sink.file_of(i));
    json.end_object();
  }
  json.end_array();
  if (!sink.sections().empty()) {
    json.key("sections").begin_array();
    for (const FileSection& section : sink.sections()) {
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
  emscripten::class_<InspectorBinding, emscripten::base<CheckpointSource>>("Inspector")
      .constructor<>()
      .function("describeAll", &InspectorBinding::describe_all)
      .function("showAll", &InspectorBinding::show_all)
      .function("skim", &InspectorBinding::skim)
      .function("skimMetadata", &InspectorBinding::skim_metadata)
      .function("setFilterbank(choice)", &InspectorBinding::set_filterbank)
      .function("skippable", &InspectorBinding::skippable)
      .function("skip(byteCount)", &InspectorBinding::skip)
      .function("inputWindow(byteCount)", &InspectorBinding::input_window)
      .function("setByteCount(byteCount)", &InspectorBinding::set_byte_count)
      .function("push(byteCount)", &InspectorBinding::push)
      .function("isDescribed", &InspectorBinding::is_described)
      .function("finish", &InspectorBinding::finish)
      .function("missingFiles", &InspectorBinding::missing_files)
      .function("metadataText", &InspectorBinding::metadata_text)
      .function("laterMetadata", &InspectorBinding::later_metadata)
      .function("facts", &InspectorBinding::facts);
}

}  // namespace susurrus
