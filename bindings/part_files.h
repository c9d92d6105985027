#pragma once
#include <string>

#include "base/json_writer.h"
#include "container/model_reader.h"

namespace susurrus {

/// The further files of a model, listed once: there may be 99,999, and the caller asks after each file.
class PartFiles {
 public:
  /// A JSON list of {name, byteCount} of all files still to be read after the first one; empty once
  /// the caller has been given it.
  std::string take_text(const ModelReader& reader) {
    JsonWriter json;
    json.begin_array();
    if (!is_told_) {
      for (const PartFile& file : reader.missing_files()) {
        json.begin_object()
            .field("name", file.name)
            .field("byteCount", file.byte_count)
            .end_object();
      }
    }
    is_told_ = true;
    return std::move(json.end_array()).text();
  }

 private:
  bool is_told_ = false;
};

}  // namespace susurrus
