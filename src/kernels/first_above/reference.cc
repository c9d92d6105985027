#include "kernels/first_above/first_above.h"

namespace susurrus {

size_t first_above_reference(size_t count, const float* x, float threshold) {
  size_t i = 0;
  while (i < count && !(x[i] > threshold)) ++i;
  return i;
}

}  // namespace susurrus
