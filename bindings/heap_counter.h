#pragma once
#include <cstdint>

namespace susurrus {

/// What the engine's heap holds, counted in the allocator itself.
struct HeapStatistics {
  uint64_t current_bytes = 0;
  uint64_t peak_bytes = 0;
  /// Calls that asked for memory, since the engine started.
  uint64_t allocation_count = 0;
};

HeapStatistics heap_statistics();
/// The peak becomes what is allocated now.
void reset_heap_peak();

}  // namespace susurrus
