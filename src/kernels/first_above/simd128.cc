#include "kernels/first_above/first_above.h"
#include "kernels/simd/vector.h"

namespace susurrus {

size_t first_above_simd128(size_t count, const float* x, float threshold) {
  const v128_t bound = wasm_f32x4_splat(threshold);
  const auto above = [&](size_t i) { return wasm_f32x4_gt(simd::load(x + i), bound); };
  size_t i = 0;
  for (; i + 16 <= count; i += 16) {
    const v128_t either = wasm_v128_or(wasm_v128_or(above(i), above(i + 4)),
                                       wasm_v128_or(above(i + 8), above(i + 12)));
    if (wasm_v128_any_true(either)) break;
  }
  while (i < count && !(x[i] > threshold)) ++i;
  return i;
}

}  // namespace susurrus
