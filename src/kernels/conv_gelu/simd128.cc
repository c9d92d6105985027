#include "kernels/conv_gelu/conv_gelu.h"
#include "kernels/conv_gelu/simd_conv_gelu.h"

namespace susurrus {

void conv_gelu_simd128(const ConvArgs& args) { simd::conv_gelu<simd::MulAdd>(args); }

}  // namespace susurrus
