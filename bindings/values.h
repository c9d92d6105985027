#pragma once
#include <emscripten/val.h>

#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"

// Values passed to JavaScript: numbers, texts, JSON and views. A view points into memory of the core and is valid until the
// next call into the engine, since any call may move or grow the heap.

namespace susurrus {

EMSCRIPTEN_DECLARE_VAL_TYPE(ByteView);
EMSCRIPTEN_DECLARE_VAL_TYPE(FloatView);
EMSCRIPTEN_DECLARE_VAL_TYPE(TokenView);

ByteView view(std::span<const uint8_t> bytes);
FloatView view(std::span<const float> floats);
TokenView view(std::span<const uint32_t> tokens);

/// An Error as JSON, empty when all went well: {code, reason, meaning, offset (absent without one), subject, expected, got}.
using ErrorText = std::string;
ErrorText to_text(const Error& error);

template <typename T>
ErrorText failure(const Result<T>& result) {
  return result ? ErrorText() : to_text(result.error());
}

}  // namespace susurrus
