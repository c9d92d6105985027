#include "kernels/linear/linear.h"
#include "kernels/linear/simd_linear.h"

namespace susurrus {

void linear_relaxed(const LinearArgs& args) {
  simd::linear<simd::QuadDot, simd::RelaxedMadd>(args, simd::QuadDot::coding());
}

void linear_relaxed_seven_bits(const LinearArgs& args) {
  simd::linear<simd::QuadDot, simd::RelaxedMadd>(args, simd::QuadDot::seven_bits());
}

}  // namespace susurrus
