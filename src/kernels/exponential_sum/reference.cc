#include <cmath>
#include <limits>

#include "kernels/exponential_sum/exponential_sum.h"

namespace susurrus {

double exponential_sum_reference(size_t count, const float* x, float maximum, float scale) {
  double sum = 0;
  for (size_t i = 0; i < count; ++i) {
    if (x[i] == -std::numeric_limits<float>::infinity()) continue;
    sum += std::exp((static_cast<double>(x[i]) - maximum) * scale);
  }
  return sum;
}

}  // namespace susurrus
