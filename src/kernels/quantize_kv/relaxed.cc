#include "kernels/quantize_kv/simd_quantize_kv.h"

namespace susurrus {

void quantize_kv_relaxed(const QuantizeKvArgs& args) {
  simd::quantize_kv<simd::QuadDot>(args, simd::QuadDot::params());
}

void quantize_kv_relaxed_seven_bits(const QuantizeKvArgs& args) {
  simd::quantize_kv<simd::QuadDot>(args, simd::QuadDot::seven_bits());
}

}  // namespace susurrus
