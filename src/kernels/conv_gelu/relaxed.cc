#include "kernels/conv_gelu/conv_gelu.h"
#include "kernels/conv_gelu/simd_conv_gelu.h"

namespace susurrus {

void conv_gelu_relaxed(const ConvArgs& args) { simd::conv_gelu<simd::RelaxedMadd>(args); }

}  // namespace susurrus
