#include <cmath>

#include "kernels/gelu/gelu.h"

namespace susurrus {

void gelu_reference(size_t count, const float* x, float* y) {
  for (size_t i = 0; i < count; ++i) {
    const double value = x[i];
    // erfc keeps its precision where 1 + erf would cancel; -inf * 0 would be NaN.
    const double probability = 0.5 * std::erfc(-value * 0.70710678118654752440);
    y[i] = probability == 0.0 ? 0.0f : static_cast<float>(value * probability);
  }
}

}  // namespace susurrus
