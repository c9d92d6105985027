#include "kernels/int8_attention/simd_int8_attention.h"

namespace susurrus {

void int8_attention_simd128(const AttentionArgs& args) {
  simd::int8_attention<simd::PairDot, simd::MulAdd>(args, simd::PairDot::params());
}

}  // namespace susurrus
