#pragma once
#include <cstdint>

namespace susurrus::limits {

/// Everything of a TenniS module but the bytes of its tensors, `#op` and `#name` included: counts, names, shapes, indices.
/// A network of a thousand operators has some 200 KB of it.
inline constexpr uint64_t kTennisGraphBytes = 64ull << 20;
/// No file is as large as a tensor beyond this; the format itself sets no bound.
inline constexpr uint64_t kTennisTensorBytes = (uint64_t{1} << 48) - 1;
/// The specification's limit for a parameter's name.
inline constexpr uint64_t kTennisNameBytes = 31;

}  // namespace susurrus::limits
