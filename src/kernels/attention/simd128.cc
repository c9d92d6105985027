#include "kernels/attention/attention.h"
#include "kernels/attention/simd_attention.h"

namespace susurrus {

void attention_simd128(const AttentionArgs& args) { simd::attention<simd::MulAdd>(args); }

}  // namespace susurrus
