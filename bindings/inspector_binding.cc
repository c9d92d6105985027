#include "inspector_binding.h"

#include <emscripten/bind.h>

namespace susurrus {

EMSCRIPTEN_BINDINGS(inspector) {
  emscripten::class_<InspectorBinding>("Inspector")
      .constructor<>()
      .function("inputWindow(byteCount)", &InspectorBinding::input_window)
      .function("setByteCount(byteCount)", &InspectorBinding::set_byte_count)
      .function("push(byteCount)", &InspectorBinding::push)
      .function("finish", &InspectorBinding::finish)
      .function("metadataText", &InspectorBinding::metadata_text)
      .function("architecture", &InspectorBinding::architecture)
      .function("vocabularyBytes", &InspectorBinding::vocabulary_bytes)
      .function("vocabularyEnds", &InspectorBinding::vocabulary_ends)
      .function("filterbank", &InspectorBinding::filterbank)
      .function("facts", &InspectorBinding::facts);
}

}  // namespace susurrus
