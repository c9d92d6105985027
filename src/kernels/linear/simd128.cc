#include "kernels/linear/linear.h"
#include "kernels/linear/simd_linear.h"

namespace susurrus {

void linear_panels_of_2(const LinearArgs& args) {
  simd::byte_linear<simd::PairDot, simd::MulAdd>(args, simd::PairDot::coding());
}

void linear_simd128(const LinearArgs& args) {
  if (args.weight.layout == WeightLayout::panels_of_2) return linear_panels_of_2(args);
  simd::row_linear<simd::MulAdd>(args);
}

}  // namespace susurrus
