// Headers of SafeTensors files.
#include "container/safetensors/safetensors_header.h"
#include "fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace susurrus;
  const fuzz::FuzzInput input(data, size);
  const ByteSpan file = input.file();
  // The tensor data may lie outside the input.
  const uint64_t file_byte_count = file.size() + (input.choice(0) ? uint64_t{1} << 30 : 0);
  auto byte_count = safetensors_header_byte_count(file, file_byte_count);
  if (!byte_count.has_value() || *byte_count > file.size()) return 0;
  auto tensors = parse_safetensors_header(file.first(static_cast<size_t>(*byte_count)).subspan(8),
                                          file_byte_count);
  if (!tensors.has_value()) return 0;
  uint64_t end = *byte_count;
  for (const TensorInfo& tensor : *tensors) {
    FUZZ_CHECK(tensor.file_offset >= end);
    FUZZ_CHECK(tensor.stored_byte_count <= file_byte_count - tensor.file_offset);
    end = tensor.file_offset;
  }
  return 0;
}
