#include "container/safetensors/safetensors_writer.h"

#include <algorithm>
#include <utility>

#include "base/json_writer.h"
#include "container/read_error.h"

namespace susurrus {
namespace {

constexpr size_t kAlignment = 8;

std::string_view type_name(Dtype dtype) {
  switch (dtype) {
    case Dtype::f16: return "F16";
    case Dtype::bf16: return "BF16";
    default: return "F32";
  }
}

}  // namespace

bool SafetensorsWriter::has_dtype(Dtype dtype) {
  return is_weight_dtype(dtype) && !is_block_dtype(dtype);
}

Result<std::unique_ptr<SafetensorsWriter>> SafetensorsWriter::plan(
    std::vector<TensorInfo> tensors) {
  std::unique_ptr<SafetensorsWriter> writer(new SafetensorsWriter(std::move(tensors)));
  SUSURRUS_RETURN_IF_ERROR(writer->check_tensors());
  SUSURRUS_RETURN_IF_ERROR(writer->place_tensors());
  return writer;
}

/// Offsets count from after the header here, as they do in it.
Status SafetensorsWriter::place_tensors() {
  uint64_t end = 0;
  for (TensorInfo& tensor : own_tensors()) {
    if (!has_dtype(tensor.dtype)) {
      return wrong_argument(tensor.name)
          .with_expected("f32, f16 or bf16")
          .with_got(dtype_traits(tensor.dtype).name);
    }
    if (end % dtype_traits(tensor.dtype).bytes_per_block != 0) {
      return wrong_argument(tensor.name).with_expected("tensors of larger elements first");
    }
    tensor.file_offset = end;
    end += tensor.stored_byte_count;
  }
  return ok_status();
}

std::vector<uint8_t> SafetensorsWriter::file_header() const {
  JsonWriter json;
  // Without this, transformers takes the file for none of its own.
  json.begin_object().key("__metadata__").begin_object().field("format", "pt").end_object();
  for (const TensorInfo& tensor : tensors()) {
    json.key(tensor.name)
        .begin_object()
        .field("dtype", type_name(tensor.dtype))
        .field("shape", tensor.shape.dims());
    json.key("data_offsets")
        .begin_array()
        .value(tensor.file_offset)
        .value(tensor.file_offset + tensor.stored_byte_count)
        .end_array()
        .end_object();
  }
  std::string text = std::move(json.end_object()).text();
  // So that the data begin at a multiple of 8.
  text.resize((text.size() + kAlignment - 1) / kAlignment * kAlignment, ' ');
  std::vector<uint8_t> header(kAlignment + text.size());
  store_le<uint64_t>(header.data(), text.size());
  std::ranges::copy(text, header.begin() + kAlignment);
  return header;
}

}  // namespace susurrus
