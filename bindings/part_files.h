#pragma once
#include <string>

#include "base/json_writer.h"
#include "container/model_reader.h"

namespace susurrus {

/// The files that still have to be read, as a JSON list of {name, byteCount}.
inline std::string missing_files_text(const ModelReader& reader) {
  JsonWriter json;
  json.begin_array();
  for (const PartFile& file : reader.missing_files()) {
    json.begin_object().field("name", file.name).field("byteCount", file.byte_count).end_object();
  }
  return std::move(json.end_array()).text();
}

}  // namespace susurrus
