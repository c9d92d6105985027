#pragma once
#include <emscripten/val.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

// What crosses to JavaScript. Views are of memory that the core owns: they are good until the next call into the engine,
// since any call may move or grow the heap.

namespace susurrus {

EMSCRIPTEN_DECLARE_VAL_TYPE(ByteView);
EMSCRIPTEN_DECLARE_VAL_TYPE(FloatView);
EMSCRIPTEN_DECLARE_VAL_TYPE(TokenView);
EMSCRIPTEN_DECLARE_VAL_TYPE(StringList);
EMSCRIPTEN_DECLARE_VAL_TYPE(NumberList);

ByteView view(std::span<const uint8_t> bytes);
FloatView view(std::span<const float> floats);
TokenView view(std::span<const uint32_t> tokens);
StringList list(const std::vector<std::string>& strings);
NumberList list(std::span<const uint64_t> numbers);

/// An Error as JavaScript sees it.
struct ErrorValue {
  std::string code;
  std::string reason;
  /// The code in words.
  std::string meaning;
  /// Byte offset, or -1.
  double offset = -1;
  std::string subject;
  std::string expected;
  std::string got;
};

/// Nothing when all went well.
using MaybeError = std::optional<ErrorValue>;

ErrorValue to_value(const Error& error);

template <typename T>
MaybeError failure(const Result<T>& result) {
  if (result) return std::nullopt;
  return to_value(result.error());
}

/// Where a piece of work stands.
enum class Step : uint8_t { need_audio, working, segment_ready, rejected_ready, done, failed };

/// [begin, end), in samples or bytes.
struct Range {
  double begin = 0;
  double end = 0;
};

}  // namespace susurrus
