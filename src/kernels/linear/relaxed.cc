#include "kernels/linear/linear.h"
#include "kernels/linear/simd_linear.h"

namespace susurrus {

void linear_relaxed(const LinearArgs& args) { simd::linear<simd::RelaxedMadd>(args); }

}  // namespace susurrus
