#pragma once
#include <cstdint>
#include <cstring>

namespace susurrus {

/// Four floats in GCC's and Clang's portable vectors: SIMD128 in WebAssembly, SSE or NEON natively, one source.
using F32x4 = float __attribute__((vector_size(16)));
using I32x4 = int32_t __attribute__((vector_size(16)));

inline F32x4 splat(float value) { return F32x4{value, value, value, value}; }

/// From and to any address: neither needs alignment.
inline F32x4 load_f32x4(const float* at) {
  F32x4 value;
  std::memcpy(&value, at, sizeof value);
  return value;
}
inline void store_f32x4(float* at, F32x4 value) { std::memcpy(at, &value, sizeof value); }

/// Turns four vectors as rows into the four columns.
inline void transpose_4x4(F32x4& a, F32x4& b, F32x4& c, F32x4& d) {
  F32x4 ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
  F32x4 ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  F32x4 cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5);
  F32x4 cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  a = __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5);
  b = __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7);
  c = __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5);
  d = __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7);
}

inline F32x4 select(I32x4 mask, F32x4 if_set, F32x4 if_clear) {
  return reinterpret_cast<F32x4>((mask & reinterpret_cast<I32x4>(if_set)) |
                                 (~mask & reinterpret_cast<I32x4>(if_clear)));
}
/// NaN counts as smaller than everything.
inline F32x4 at_least(F32x4 value, F32x4 floor) { return select(value > floor, value, floor); }

inline float maximum_lane(F32x4 value) {
  float low = value[0] > value[1] ? value[0] : value[1];
  float high = value[2] > value[3] ? value[2] : value[3];
  return low > high ? low : high;
}

}  // namespace susurrus
