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

void linear_relaxed_in_pairs(const LinearArgs& args) {
  if (args.weight.layout == WeightLayout::panels_of_2) {
    return simd::int8_linear<simd::PairDot, simd::RelaxedMadd>(args, simd::PairDot::params());
  }
  linear_relaxed(args);
}

bool relaxed_dot_takes_bytes() {
  return simd::QuadDot::params().limit > simd::QuadDot::seven_bits().limit;
}

bool relaxed_dot_is_sound() {
  // Node 20 can get a single product right and running sums, which the kernels use, wrong.
  const v128_t weights = wasm_i8x16_splat(static_cast<int8_t>(simd::opaque(-128)));
  const v128_t activations = wasm_i8x16_splat(static_cast<int8_t>(simd::opaque(127)));
  v128_t sums = wasm_i32x4_splat(simd::opaque(5));
  v128_t others = wasm_i32x4_splat(simd::opaque(7));
  for (int i = simd::opaque(3); i > 0; --i) {
    sums = simd::QuadDot::dot(weights, activations, sums);
    others = simd::QuadDot::dot(activations, activations, others);
  }
  if (wasm_i32x4_extract_lane(sums, 0) != 5 - 3 * 4 * 128 * 127) return false;
  if (wasm_i32x4_extract_lane(others, 0) != 7 + 3 * 4 * 127 * 127) return false;
  return simd::QuadDot::product(-1, 1) == -4 && simd::QuadDot::product(-128, 127) == -4 * 128 * 127;
}

}  // namespace susurrus
