#include <algorithm>

#include "kernels/exponential_sum/exponential_sum.h"
#include "kernels/simd/exp.h"

namespace susurrus {

double exponential_sum_simd128(size_t count, const float* x, float maximum, float scale) {
  // Longer sums in f32 would lose digits.
  constexpr size_t kBlock = 256;
  const simd::Exp exp;
  const v128_t shift = wasm_f32x4_splat(maximum);
  const v128_t factor = wasm_f32x4_splat(scale);
  const auto term = [&](v128_t value) {
    return exp.of<simd::MulAdd>(wasm_f32x4_mul(wasm_f32x4_sub(value, shift), factor));
  };
  double sum = 0;
  while (count > 0) {
    const size_t block = std::min(count, kBlock);
    v128_t even = wasm_f32x4_const_splat(0);
    v128_t odd = even;
    size_t i = 0;
    for (; i + 8 <= block; i += 8) {
      even = wasm_f32x4_add(even, term(simd::load(x + i)));
      odd = wasm_f32x4_add(odd, term(simd::load(x + i + 4)));
    }
    sum += simd::sum_lanes(wasm_f32x4_add(even, odd));
    for (; i < block; ++i) sum += wasm_f32x4_extract_lane(term(wasm_f32x4_splat(x[i])), 0);
    x += block;
    count -= block;
  }
  return sum;
}

}  // namespace susurrus
