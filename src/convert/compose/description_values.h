#pragma once
#include <string>

#include "base/json_document.h"
#include "container/shape.h"

// Values of the JSON text that describes a file to compose.

namespace susurrus {

Error wrong_description(std::string_view subject);

/// Bytes, each written as the character of its number.
Result<std::string> byte_string(JsonValue value, std::string_view subject);
Result<uint64_t> whole_number(JsonValue value, std::string_view subject);
/// A number from `least` to `most`, which doubles hold exactly.
Result<int64_t> integer_between(JsonValue value, int64_t least, int64_t most,
                                std::string_view subject);
/// The bits of an f32, as a whole number.
Result<float> float_of_bits(JsonValue value, std::string_view subject);
/// A shape of at most `most_dims` sizes.
Result<Shape> shape_of(JsonValue value, uint32_t most_dims, std::string_view subject);

}  // namespace susurrus
