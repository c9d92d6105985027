#pragma once
#include <cstdint>

#include "base/json_writer.h"

namespace susurrus {

/// Of more than so many bytes of a text, or of all that a file says, inspection shows none.
inline constexpr uint64_t kShownGgufTextBytes = 1024;
inline constexpr uint64_t kShownGgufBytes = 1 << 20;

/// A number of a GGUF key, of one of GGUF's types but texts and arrays, from its bits with zeros above them.
void write_gguf_number(JsonWriter& json, uint32_t type, uint64_t bits);

}  // namespace susurrus
