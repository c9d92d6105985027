#include "kernels/quantize_kv/simd_quantize_kv.h"

namespace susurrus {

void quantize_kv_simd128(const QuantizeKvArgs& args) {
  simd::quantize_kv<simd::PairDot>(args, simd::PairDot::params());
}

}  // namespace susurrus
