#pragma once
#include "container/detecting_reader.h"

namespace susurrus {

/// The readers for files that are inspected and converted, but not run as they are. For a DetectingReader.
std::unique_ptr<ModelReader> open_converted_kind(FileKind kind, ModelSink& sink);

}  // namespace susurrus
