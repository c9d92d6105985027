#include "kernels/linear/linear.h"
#include "kernels/linear/simd_linear.h"

namespace susurrus {

void linear_simd128(const LinearArgs& args) {
  if (args.weight.layout == WeightLayout::panels_of_2) {
    return simd::int8_linear<simd::PairDot, simd::MulAdd>(args, simd::PairDot::params());
  }
  simd::row_linear<simd::MulAdd>(args);
}

}  // namespace susurrus
