#include "kernels/byte_attention/simd_byte_attention.h"

namespace susurrus {

void byte_attention_simd128(const AttentionArgs& args) {
  simd::byte_attention<simd::PairDot, simd::MulAdd>(args, simd::PairDot::coding());
}

}  // namespace susurrus
