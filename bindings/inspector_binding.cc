#include <emscripten/bind.h>

#include "container/detecting_reader.h"
#include "container/inspection.h"
#include "input_window.h"

namespace susurrus {
namespace {

struct TensorValue {
  std::string name;
  std::string dtype;
  double offset;
  double stored_byte_count;
  double raw_byte_count;
};

/// Reads and verifies a whole model file, keeping only what it says about itself.
class InspectorBinding {
 public:
  InspectorBinding() : reader_(sink_) {}

  ByteView input_window(double byte_count) { return window_.fill(byte_count); }
  void set_byte_count(double byte_count) {
    reader_.set_file_byte_count(static_cast<uint64_t>(byte_count));
  }
  MaybeError push(double byte_count) {
    auto bytes = window_.filled(byte_count);
    if (!bytes) return failure(bytes);
    return failure(reader_.push(*bytes));
  }
  MaybeError finish() { return failure(reader_.finish()); }

  double byte_count() const { return static_cast<double>(reader_.position()); }
  std::string format() const { return std::string(sink_.format()); }
  std::string version() const {
    return std::to_string(sink_.version_major()) + "." + std::to_string(sink_.version_minor());
  }
  std::string flag_names() const { return sink_.flag_names(); }
  ByteView metadata_text() const { return view(as_bytes(sink_.metadata_text())); }
  StringList warnings() const { return list(sink_.warnings()); }
  double tensor_count() const { return static_cast<double>(sink_.tensors().size()); }
  TensorValue tensor(uint32_t index) const {
    if (index >= sink_.tensors().size()) return {};
    const TensorInfo& info = sink_.tensors()[index];
    return {info.name, std::string(dtype_traits(info.dtype).name),
            static_cast<double>(info.file_offset), static_cast<double>(info.stored_byte_count),
            static_cast<double>(info.raw_byte_count)};
  }
  NumberList tensor_shape(uint32_t index) const {
    if (index >= sink_.tensors().size()) return list(std::span<const uint64_t>());
    return list(sink_.tensors()[index].shape.dims());
  }

 private:
  InspectSink sink_;
  DetectingReader reader_;
  InputWindow window_{256 << 10};
};

}  // namespace

EMSCRIPTEN_BINDINGS(inspector) {
  emscripten::value_object<TensorValue>("InspectedTensor")
      .field("name", &TensorValue::name)
      .field("dtype", &TensorValue::dtype)
      .field("offset", &TensorValue::offset)
      .field("storedByteCount", &TensorValue::stored_byte_count)
      .field("rawByteCount", &TensorValue::raw_byte_count);
  emscripten::class_<InspectorBinding>("Inspector")
      .constructor<>()
      .function("inputWindow(byteCount)", &InspectorBinding::input_window)
      .function("setByteCount(byteCount)", &InspectorBinding::set_byte_count)
      .function("push(byteCount)", &InspectorBinding::push)
      .function("finish", &InspectorBinding::finish)
      .function("byteCount", &InspectorBinding::byte_count)
      .function("format", &InspectorBinding::format)
      .function("version", &InspectorBinding::version)
      .function("flagNames", &InspectorBinding::flag_names)
      .function("metadataText", &InspectorBinding::metadata_text)
      .function("warnings", &InspectorBinding::warnings)
      .function("tensorCount", &InspectorBinding::tensor_count)
      .function("tensor(index)", &InspectorBinding::tensor)
      .function("tensorShape(index)", &InspectorBinding::tensor_shape);
}

}  // namespace susurrus
