#include "kernels/linear/linear.h"
#include "kernels/linear/simd_linear.h"

namespace susurrus {

void linear_simd128(const LinearArgs& args) {
  simd::linear<simd::PairDot, simd::MulAdd>(args, simd::PairDot::coding());
}

}  // namespace susurrus
