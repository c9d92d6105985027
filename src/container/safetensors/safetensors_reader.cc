#include "container/safetensors/safetensors_reader.h"

#include "container/safetensors/safetensors_header.h"

namespace susurrus {
namespace {

constexpr uint64_t kPrefixBytes = 8;

}  // namespace

Status SafetensorsReader::start() {
  checkpoint_.format = "SafeTensors";
  return expect(kPrefixBytes, "header length", &SafetensorsReader::read_length);
}

Status SafetensorsReader::read_length(ByteSpan bytes) {
  SUSURRUS_ASSIGN_OR_RETURN(const uint64_t byte_count,
                            safetensors_header_byte_count(bytes, file_byte_count()));
  return expect(byte_count - kPrefixBytes, "header", &SafetensorsReader::read_header);
}

Status SafetensorsReader::read_header(ByteSpan json) {
  SUSURRUS_ASSIGN_OR_RETURN(
      std::vector<TensorInfo> tensors,
      parse_safetensors_header(json, file_byte_count(), &checkpoint_.metadata));
  for (TensorInfo& info : tensors) {
    checkpoint_.tensors.emplace_back().info = std::move(info);
  }
  return complete();
}

}  // namespace susurrus
