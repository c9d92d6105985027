#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "session/results.h"

namespace susurrus {

/// Why nobody can have said the text of a window of `frame_count` mel frames: it is more than can be said in the time, or
/// nothing but what was said `before`. nullopt: somebody can have.
std::optional<Decision> flaw_of(std::span<const Segment> segments, uint64_t frame_count,
                                std::string_view before);

}  // namespace susurrus
