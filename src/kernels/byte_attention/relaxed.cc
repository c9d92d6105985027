#include "kernels/byte_attention/simd_byte_attention.h"

namespace susurrus {

void byte_attention_relaxed(const AttentionArgs& args) {
  simd::byte_attention<simd::QuadDot, simd::RelaxedMadd>(args, simd::QuadDot::coding());
}

void byte_attention_relaxed_seven_bits(const AttentionArgs& args) {
  simd::byte_attention<simd::QuadDot, simd::RelaxedMadd>(args, simd::QuadDot::seven_bits());
}

}  // namespace susurrus
