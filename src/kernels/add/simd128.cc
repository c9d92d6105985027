#include "kernels/add/add.h"
#include "kernels/simd/vector.h"

namespace susurrus {

void add_simd128(size_t count, const float* x, float* y) {
  size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    simd::store(y + i, wasm_f32x4_add(simd::load(y + i), simd::load(x + i)));
  }
  for (; i < count; ++i) y[i] += x[i];
}

}  // namespace susurrus
