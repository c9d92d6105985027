#pragma once
#include <cstdint>

namespace susurrus::testing {

/// Calls that asked for memory since the program began: those of operator new, and under AddressSanitizer every one.
uint64_t allocation_count();
/// Those whose memory has not been given back.
int64_t live_allocation_count();
/// The most bytes that were taken at one time since watch_bytes(), beyond those that were then.
void watch_bytes();
uint64_t most_bytes();

}  // namespace susurrus::testing
