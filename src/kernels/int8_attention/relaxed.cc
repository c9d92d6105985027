#include "kernels/int8_attention/simd_int8_attention.h"

namespace susurrus {

void int8_attention_relaxed(const AttentionArgs& args) {
  simd::int8_attention<simd::QuadDot, simd::RelaxedMadd>(args, simd::QuadDot::params());
}

void int8_attention_relaxed_seven_bits(const AttentionArgs& args) {
  simd::int8_attention<simd::QuadDot, simd::RelaxedMadd>(args, simd::QuadDot::seven_bits());
}

}  // namespace susurrus
