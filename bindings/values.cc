#include "values.h"

#include <emscripten/bind.h>

#include "heap_counter.h"
#include "kernels/kernel_table.h"

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

StringList list(const std::vector<std::string>& strings) {
  val array = val::array();
  for (size_t i = 0; i < strings.size(); ++i) array.set(i, strings[i]);
  return StringList(array);
}

NumberList list(std::span<const uint64_t> numbers) {
  val array = val::array();
  for (size_t i = 0; i < numbers.size(); ++i) array.set(i, static_cast<double>(numbers[i]));
  return NumberList(array);
}

ErrorValue to_value(const Error& error) {
  ErrorValue value;
  value.code = error_code_name(error.code);
  value.reason = error_reason_name(error.reason);
  value.meaning = error_code_meaning(error.code);
  if (error.offset != kNoOffset) value.offset = static_cast<double>(error.offset);
  value.subject = error.subject.view();
  value.expected = error.expected.view();
  value.got = error.got.view();
  return value;
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

std::string kernel_variant() { return variant_name(default_kernels().variant); }

}  // namespace

EMSCRIPTEN_BINDINGS(values) {
  emscripten::register_type<ByteView>("Uint8Array");
  emscripten::register_type<FloatView>("Float32Array");
  emscripten::register_type<TokenView>("Uint32Array");
  emscripten::register_type<StringList>("string[]");
  emscripten::register_type<NumberList>("number[]");

  emscripten::enum_<ErrorCode>("ErrorCode")
#define SUSURRUS_ERROR(name, number, meaning) .value(#name, ErrorCode::name)
#include "base/error_codes.inc"
#undef SUSURRUS_ERROR
      .value("ok", ErrorCode::ok);

  emscripten::value_object<ErrorValue>("ErrorValue")
      .field("code", &ErrorValue::code)
      .field("reason", &ErrorValue::reason)
      .field("meaning", &ErrorValue::meaning)
      .field("offset", &ErrorValue::offset)
      .field("subject", &ErrorValue::subject)
      .field("expected", &ErrorValue::expected)
      .field("got", &ErrorValue::got);
  emscripten::register_optional<ErrorValue>();

  emscripten::value_object<Range>("Range").field("begin", &Range::begin).field("end", &Range::end);

  emscripten::enum_<Step>("Step")
      .value("needAudio", Step::need_audio)
      .value("working", Step::working)
      .value("segmentReady", Step::segment_ready)
      .value("rejectedReady", Step::rejected_ready)
      .value("done", Step::done)
      .value("failed", Step::failed);

  emscripten::value_object<HeapValue>("HeapStatistics")
      .field("currentBytes", &HeapValue::current_bytes)
      .field("peakBytes", &HeapValue::peak_bytes)
      .field("allocationCount", &HeapValue::allocation_count);
  emscripten::function("heapStatistics", &heap_value);
  emscripten::function("resetHeapPeak", &reset_heap_peak);
  emscripten::function("kernelVariant", &kernel_variant);
}

}  // namespace susurrus
