#include "loader_binding.h"

#include <emscripten/bind.h>

#include "container/dtype.h"

namespace susurrus {

Status LoadSink::on_manifest(ModelManifest& manifest) {
  format_ = std::string(manifest.format) + " " + std::to_string(manifest.version_major) + "." +
            std::to_string(manifest.version_minor);
  return store_.on_manifest(manifest);
}

Result<MutableByteSpan> LoadSink::place_tensor(const TensorInfo& tensor) {
  auto place = store_.place_tensor(tensor);
  if (place && !place->empty()) dtype_bits_ |= 1u << static_cast<uint32_t>(tensor.dtype);
  return place;
}

std::vector<std::string> LoadSink::dtypes() const {
  std::vector<std::string> names;
  for (uint8_t number = 0; number < 32; ++number) {
    if ((dtype_bits_ >> number & 1u) == 0) continue;
    if (auto dtype = dtype_from_number(number)) {
      names.emplace_back(dtype_traits(*dtype).name);
    }
  }
  return names;
}

void LoaderBinding::set_byte_count(double byte_count) {
  reader_.set_file_byte_count(static_cast<uint64_t>(byte_count));
}

ErrorText LoaderBinding::push(double byte_count) {
  auto bytes = window_.filled(byte_count);
  if (!bytes) return failure(bytes);
  return failure(reader_.push(*bytes));
}

ErrorText LoaderBinding::finish() {
  Status status = reader_.finish();
  window_.release();
  is_finished_ = status.has_value();
  return failure(status);
}

EMSCRIPTEN_BINDINGS(loader) {
  emscripten::class_<LoaderBinding>("Loader")
      .constructor<>()
      .function("inputWindow(byteCount)", &LoaderBinding::input_window)
      .function("setByteCount(byteCount)", &LoaderBinding::set_byte_count)
      .function("push(byteCount)", &LoaderBinding::push)
      .function("finish", &LoaderBinding::finish);
}

}  // namespace susurrus
