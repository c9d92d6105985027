#include "kernels/linear/linear.h"
#include "kernels/linear/simd_linear.h"

namespace susurrus {

namespace {

void panels_of_4(const LinearArgs& args, simd::QuantizationParams params) {
  params.has_two_terms = args.is_fine;
  simd::int8_linear<simd::QuadDot, simd::RelaxedMadd>(args, params);
}

}  // namespace

void linear_relaxed(const LinearArgs& args) {
  if (args.weight.layout == WeightLayout::panels_of_4) {
    return panels_of_4(args, simd::QuadDot::params());
  }
  simd::row_linear<simd::RelaxedMadd>(args);
}

void linear_relaxed_seven_bits(const LinearArgs& args) {
  panels_of_4(args, simd::QuadDot::seven_bits());
}

bool relaxed_dot_is_sound() {
  return simd::QuadDot::product(-1, 1) == -4 && simd::QuadDot::product(-128, 127) == -4 * 128 * 127;
}

}  // namespace susurrus
