#pragma once
#include <cstdint>
#include <span>

namespace susurrus {

/// Memory that is needed from one step of a run to another.
struct Buffer {
  uint32_t first = 0;
  uint32_t last = 0;
  uint64_t byte_count = 0;
  uint64_t place = 0;
};

/// Gives each a place, so that those that are needed at the same time lie apart. Returns the bytes that all of them take.
uint64_t lay_buffers(std::span<Buffer> buffers);

}  // namespace susurrus
