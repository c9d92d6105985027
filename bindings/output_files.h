#pragma once
#include <algorithm>
#include <string>

#include "base/json_writer.h"
#include "container/apr2/apr2_files_writer.h"

namespace susurrus {

/// `shard_byte_count` 0: one file.
inline Apr2FilesOptions files_options(double shard_byte_count, uint32_t alignment) {
  Apr2FilesOptions options;
  options.alignment = alignment;
  // What is too large for a number here is too large for a shard.
  options.shard_byte_count = static_cast<uint64_t>(std::clamp(shard_byte_count, 0.0, 1e15));
  return options;
}

/// The files that are written, as a JSON list of {byteCount, crc32, footerCrc32, tensors: [names]}; the checksums are known
/// when a file is complete.
inline std::string files_text(const Apr2FilesWriter* writer) {
  JsonWriter json;
  json.begin_array();
  for (size_t i = 0; writer != nullptr && i < writer->files().size(); ++i) {
    const Apr2FilesWriter::File& file = writer->files()[i];
    json.begin_object()
        .field("byteCount", file.byte_count)
        .field("crc32", file.crc32)
        .field("footerCrc32", file.footer_crc32);
    json.key("tensors").begin_array();
    for (size_t tensor = file.first_tensor; tensor < writer->tensors().size(); ++tensor) {
      if (writer->file_of(tensor) != i) break;
      json.value(std::string_view(writer->tensors()[tensor].name));
    }
    json.end_array().end_object();
  }
  return std::move(json.end_array()).text();
}

}  // namespace susurrus
