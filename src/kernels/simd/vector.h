// The few f32x4 helpers that the simd128 and relaxed kernels share. Only they may include this
// file.
#pragma once
#include <wasm_simd128.h>

#include <cstddef>
#include <cstdint>

namespace susurrus::simd {

/// a * b + c with two roundings: the madd policy of the simd128 kernels.
struct MulAdd {
  /// Four to six are alike in V8 13; older ones run out of registers beyond four.
  static constexpr int kTileRows = 4;
  static v128_t madd(v128_t a, v128_t b, v128_t c) {
    return wasm_f32x4_add(wasm_f32x4_mul(a, b), c);
  }
};

#ifdef __wasm_relaxed_simd__
/// a * b + c with one rounding where the machine has a fused instruction, else two.
struct RelaxedMadd {
  /// Four rows load too much for one fused instruction a product: 0.85 of the speed.
  static constexpr int kTileRows = 6;
  static v128_t madd(v128_t a, v128_t b, v128_t c) { return wasm_f32x4_relaxed_madd(a, b, c); }
};
#endif

inline v128_t load(const void* address) { return wasm_v128_load(address); }
inline v128_t load_splat(const float* address) { return wasm_v128_load32_splat(address); }
/// x[0..count), then zeros
inline v128_t load_up_to_four(const float* x, size_t count) {
  float four[4] = {};
  if (count >= 4) return load(x);
  for (size_t i = 0; i < count; ++i) four[i] = x[i];
  return load(four);
}
inline void store(float* address, v128_t value) { wasm_v128_store(address, value); }

/// A value the compiler must take from memory. A vector constant inside a loop is rebuilt at every
/// use (LLVM writes v128.const there and V8 does not hoist it); a splat of an opaque value stays in
/// a register, or is one load.
template <typename T>
inline T opaque(T value) {
  volatile T hidden = value;
  return hidden;
}
inline v128_t held_u32(uint32_t bits) { return wasm_u32x4_splat(opaque(bits)); }

/// Four vectors to the vector of their sums.
inline v128_t sum_each(v128_t a, v128_t b, v128_t c, v128_t d) {
  const v128_t ab =
      wasm_f32x4_add(wasm_i32x4_shuffle(a, b, 0, 4, 1, 5), wasm_i32x4_shuffle(a, b, 2, 6, 3, 7));
  const v128_t cd =
      wasm_f32x4_add(wasm_i32x4_shuffle(c, d, 0, 4, 1, 5), wasm_i32x4_shuffle(c, d, 2, 6, 3, 7));
  return wasm_f32x4_add(wasm_i64x2_shuffle(ab, cd, 0, 2), wasm_i64x2_shuffle(ab, cd, 1, 3));
}

inline v128_t sum_of_four(const v128_t sums[4]) {
  return wasm_f32x4_add(wasm_f32x4_add(sums[0], sums[1]), wasm_f32x4_add(sums[2], sums[3]));
}

inline float sum_lanes(v128_t a) {
  a = wasm_f32x4_add(a, wasm_i32x4_shuffle(a, a, 2, 3, 2, 3));
  return wasm_f32x4_extract_lane(a, 0) + wasm_f32x4_extract_lane(a, 1);
}

inline float max_lanes(v128_t a) {
  a = wasm_f32x4_pmax(a, wasm_i32x4_shuffle(a, a, 2, 3, 2, 3));
  const float x = wasm_f32x4_extract_lane(a, 0);
  const float y = wasm_f32x4_extract_lane(a, 1);
  return x < y ? y : x;
}

}  // namespace susurrus::simd
