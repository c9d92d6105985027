#include "kernels/attention/attention.h"
#include "kernels/attention/simd_attention.h"

namespace susurrus {

void attention_relaxed(const AttentionArgs& args) { simd::attention<simd::RelaxedMadd>(args); }

}  // namespace susurrus
