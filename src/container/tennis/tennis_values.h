#pragma once
#include <optional>

#include "base/bytes.h"
#include "base/json_writer.h"
#include "container/tennis/tennis_dtype.h"

namespace susurrus {

/// Booleans, integers and floats; not characters, complex or unknown types.
bool is_tennis_numeric(TennisDtype dtype);

/// What a parameter of one element says: any numeric type, or text such as "1" and "true" (tennis.md §1). `bytes` are the
/// whole tensor. nullopt if it is not a single number.
std::optional<double> tennis_number(TennisDtype dtype, ByteSpan bytes);

/// A numeric element as a JSON number or boolean; infinite or no number: null.
void write_tennis_number(JsonWriter& json, TennisDtype dtype, const uint8_t* element);

}  // namespace susurrus
