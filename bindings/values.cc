#include "values.h"

#include <emscripten/bind.h>

#include "base/json_writer.h"
#include "heap_counter.h"

namespace susurrus {

using emscripten::typed_memory_view;
using emscripten::val;

ByteView view(std::span<const uint8_t> bytes) {
  return ByteView(val(typed_memory_view(bytes.size(), bytes.data())));
}

FloatView view(std::span<const float> floats) {
  return FloatView(val(typed_memory_view(floats.size(), floats.data())));
}

TokenView view(std::span<const uint32_t> tokens) {
  return TokenView(val(typed_memory_view(tokens.size(), tokens.data())));
}

ErrorText to_text(const Error& error) {
  JsonWriter json;
  json.begin_object()
      .field("code", error_code_name(error.code))
      .field("reason", error_reason_name(error.reason))
      .field("meaning", error_code_meaning(error.code))
      .field("subject", error.subject.view())
      .field("expected", error.expected.view())
      .field("got", error.got.view());
  if (error.offset != kNoOffset) json.field("offset", error.offset);
  return std::move(json.end_object()).text();
}

namespace {

struct HeapValue {
  double current_bytes;
  double peak_bytes;
  double allocation_count;
};

HeapValue heap_value() {
  HeapStatistics now = heap_statistics();
  return {static_cast<double>(now.current_bytes), static_cast<double>(now.peak_bytes),
          static_cast<double>(now.allocation_count)};
}

}  // namespace

EMSCRIPTEN_BINDINGS(values) {
  emscripten::register_type<ByteView>("Uint8Array");
  emscripten::register_type<FloatView>("Float32Array");
  emscripten::register_type<TokenView>("Uint32Array");

  emscripten::value_object<HeapValue>("HeapStatistics")
      .field("currentBytes", &HeapValue::current_bytes)
      .field("peakBytes", &HeapValue::peak_bytes)
      .field("allocationCount", &HeapValue::allocation_count);
  emscripten::function("heapStatistics", &heap_value);
  emscripten::function("resetHeapPeak", &reset_heap_peak);
}

}  // namespace susurrus
