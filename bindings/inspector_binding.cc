#include <emscripten/bind.h>

#include "base/json_writer.h"
#include "container/detecting_reader.h"
#include "container/inspection.h"
#include "input_window.h"

namespace susurrus {
namespace {

/// Reads and verifies a whole model file, keeping only what it says about itself.
class InspectorBinding {
 public:
  InspectorBinding() : reader_(sink_) {}

  ByteView input_window(double byte_count) { return window_.fill(byte_count); }
  void set_byte_count(double byte_count) {
    reader_.set_file_byte_count(static_cast<uint64_t>(byte_count));
  }
  ErrorText push(double byte_count) {
    auto bytes = window_.filled(byte_count);
    if (!bytes) return failure(bytes);
    return failure(reader_.push(*bytes));
  }
  ErrorText finish() { return failure(reader_.finish()); }

  ByteView metadata_text() const { return view(as_bytes(sink_.metadata_text())); }
  /// What the file says about itself besides its metadata, as JSON.
  std::string facts() const {
    JsonWriter json;
    json.begin_object()
        .field("format", sink_.format())
        .field("version",
               std::to_string(sink_.version_major()) + "." + std::to_string(sink_.version_minor()))
        .field("flags", sink_.flag_names())
        .field("byteCount", reader_.position())
        .field("warnings", std::span<const std::string>(sink_.warnings()));
    json.key("tensors").begin_array();
    for (const TensorInfo& tensor : sink_.tensors()) {
      json.begin_object()
          .field("name", std::string_view(tensor.name))
          .field("dtype", dtype_traits(tensor.dtype).name)
          .field("shape", tensor.shape.dims())
          .field("offset", tensor.file_offset)
          .field("size", tensor.stored_byte_count)
          .field("rawSize", tensor.raw_byte_count)
          .end_object();
    }
    return std::move(json.end_array().end_object()).text();
  }

 private:
  InspectSink sink_;
  DetectingReader reader_;
  InputWindow window_{256 << 10};
};

}  // namespace

EMSCRIPTEN_BINDINGS(inspector) {
  emscripten::class_<InspectorBinding>("Inspector")
      .constructor<>()
      .function("inputWindow(byteCount)", &InspectorBinding::input_window)
      .function("setByteCount(byteCount)", &InspectorBinding::set_byte_count)
      .function("push(byteCount)", &InspectorBinding::push)
      .function("finish", &InspectorBinding::finish)
      .function("metadataText", &InspectorBinding::metadata_text)
      .function("facts", &InspectorBinding::facts);
}

}  // namespace susurrus
