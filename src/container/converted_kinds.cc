#include "container/converted_kinds.h"

#include "container/apr1/apr1_reader.h"

namespace susurrus {

std::unique_ptr<ModelReader> open_converted_kind(FileKind kind, ModelSink& sink) {
  return kind == FileKind::apr1_json ? Apr1Reader::json(sink) : nullptr;
}

}  // namespace susurrus
