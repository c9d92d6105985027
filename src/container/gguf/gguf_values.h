#pragma once
#include <cstdint>

#include "base/json_writer.h"
#include "base/limits.h"

namespace susurrus {

/// Unless everything is to be shown, inspection gives longer texts by their length.
inline constexpr uint64_t kShownGgufTextBytes = 1024;
/// Characters of JSON that inspection shows at most: usually, and of everything.
inline constexpr uint64_t kShownGgufBytes = 1 << 20;
inline constexpr uint64_t kAllGgufBytes = limits::kMetadataBytes;
/// The most characters of JSON that one stored byte becomes.
inline constexpr uint64_t kMostJsonOfByte = 8;

/// A number of a GGUF key, of one of GGUF's types but texts and arrays, from its bits with zeros above them.
void write_gguf_number(JsonWriter& json, uint32_t type, uint64_t bits);

}  // namespace susurrus
