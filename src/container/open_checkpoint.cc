#include "container/checkpoint_reader.h"
#include "container/ctranslate2/ctranslate2_reader.h"
#include "container/detect.h"
#include "container/ggml/ggml_reader.h"
#include "container/gguf/gguf_reader.h"
#include "container/safetensors/safetensors_reader.h"

namespace susurrus {

Result<std::unique_ptr<CheckpointReader>> open_checkpoint(ByteSpan first_bytes,
                                                          uint64_t file_byte_count) {
  // Without the length, so that a file that was cut off is still one of its kind.
  SUSURRUS_ASSIGN_OR_RETURN(const FileKind kind, recognise(first_bytes, std::nullopt));
  std::unique_ptr<CheckpointReader> reader;
  switch (kind) {
    case FileKind::safetensors:
      reader = std::make_unique<SafetensorsReader>(file_byte_count);
      break;
    case FileKind::ggml: reader = std::make_unique<GgmlReader>(file_byte_count); break;
    case FileKind::gguf: reader = std::make_unique<GgufReader>(file_byte_count); break;
    case FileKind::ctranslate2:
      reader = std::make_unique<CTranslate2Reader>(file_byte_count);
      break;
    case FileKind::apr2: return cannot_read(kind).with_expected("it needs no conversion");
    case FileKind::json: return cannot_read(kind).with_expected("name the folder it lies in");
    default: return cannot_read(kind);
  }
  return reader;
}

}  // namespace susurrus
