#pragma once
#include <cstdint>

namespace susurrus::testing {

/// Calls that asked for memory since the program began: those of operator new, and under AddressSanitizer every one.
uint64_t allocation_count();
/// Those whose memory has not been given back.
int64_t live_allocation_count();

}  // namespace susurrus::testing
