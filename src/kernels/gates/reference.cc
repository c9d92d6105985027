#include <cmath>

#include "kernels/gates/gates.h"

namespace susurrus {

void sigmoid_reference(size_t count, const float* x, float* y) {
  for (size_t i = 0; i < count; ++i) {
    // This form overflows for neither sign of x.
    const double e = std::exp(-std::fabs(static_cast<double>(x[i])));
    y[i] = static_cast<float>(x[i] < 0 ? e / (1 + e) : 1 / (1 + e));
  }
}

void tanh_reference(size_t count, const float* x, float* y) {
  for (size_t i = 0; i < count; ++i) {
    y[i] = static_cast<float>(std::tanh(static_cast<double>(x[i])));
  }
}

}  // namespace susurrus
