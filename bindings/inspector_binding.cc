#include "inspector_binding.h"

#include <emscripten/bind.h>

#include "base/json_writer.h"
#include "container/dimensions_json.h"

namespace susurrus {

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
  if (sink.metadata().dimensions.n_vocab > 0) {
    write_dimensions(json.key("dims"), sink.metadata().dimensions);
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
    if (!sink.parts().empty()) json.field("shard", sink.file_of(i));
    json.end_object();
  }
  return std::move(json.end_array().end_object()).text();
}

EMSCRIPTEN_BINDINGS(inspector) {
  emscripten::class_<InspectorBinding>("Inspector")
      .constructor<>()
      .function("describeAll", &InspectorBinding::describe_all)
      .function("skim", &InspectorBinding::skim)
      .function("skippable", &InspectorBinding::skippable)
      .function("skip(byteCount)", &InspectorBinding::skip)
      .function("inputWindow(byteCount)", &InspectorBinding::input_window)
      .function("setByteCount(byteCount)", &InspectorBinding::set_byte_count)
      .function("push(byteCount)", &InspectorBinding::push)
      .function("finish", &InspectorBinding::finish)
      .function("missingFiles", &InspectorBinding::missing_files)
      .function("metadataText", &InspectorBinding::metadata_text)
      .function("facts", &InspectorBinding::facts);
}

}  // namespace susurrus
