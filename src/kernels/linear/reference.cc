#include "kernels/gelu/gelu.h"
#include "kernels/linear/linear.h"
#include "kernels/packed_weights/packed_weights.h"

namespace susurrus {

void linear_reference(const LinearArgs& args) {
  const size_t n_count = static_cast<size_t>(args.weight.shape[0]);
  const size_t k_count = static_cast<size_t>(args.weight.shape[1]);
  float* w = args.scratch.data();
  for (size_t n = 0; n < n_count; ++n) {
    read_weight_row(args.weight, n, w);
    for (size_t m = 0; m < args.rows; ++m) {
      const float* x = args.x + m * args.x_stride;
      double sum = args.bias == nullptr ? 0.0 : static_cast<double>(args.bias[n]);
      for (size_t k = 0; k < k_count; ++k) sum += static_cast<double>(x[k]) * w[k];
      float* y = args.y + m * args.y_stride + n;
      switch (args.epilogue) {
        case Epilogue::store: *y = static_cast<float>(sum); break;
        case Epilogue::accumulate: *y = static_cast<float>(*y + sum); break;
        case Epilogue::gelu:
          *y = static_cast<float>(sum);
          gelu_reference(1, y, y);
          break;
      }
    }
  }
}

}  // namespace susurrus
