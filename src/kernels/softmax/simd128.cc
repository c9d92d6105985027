#include "kernels/softmax/simd_softmax.h"
#include "kernels/softmax/softmax.h"

namespace susurrus {

void softmax_simd128(size_t rows, size_t columns, float* x, size_t stride) {
  for (size_t r = 0; r < rows; ++r, x += stride) {
    const float sum = simd::exponentials<simd::MulAdd>(x, columns);
    if (sum != 0.0f) simd::scale_row(x, columns, 1.0f / sum);
  }
}

}  // namespace susurrus
