#include "kernels/gelu/gelu.h"
#include "kernels/linear/linear.h"
#include "kernels/packed_weights/packed_weights.h"

namespace susurrus {
namespace {

void store(const LinearArgs& args, size_t m, size_t n, double sum) {
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

/// Rows m to m + kRows of column n, whose weights are `w`. Each sum has its own order; several side by side do not wait for
/// each other's additions.
template <size_t kRows>
void multiply_rows(const LinearArgs& args, size_t m, size_t n, const float* w) {
  const size_t k_count = static_cast<size_t>(args.weight.shape[1]);
  const float* x = args.x + m * args.x_stride;
  double sums[kRows];
  for (double& sum : sums) sum = args.bias == nullptr ? 0.0 : static_cast<double>(args.bias[n]);
  for (size_t k = 0; k < k_count; ++k) {
    for (size_t row = 0; row < kRows; ++row) {
      sums[row] += static_cast<double>(x[row * args.x_stride + k]) * w[k];
    }
  }
  for (size_t row = 0; row < kRows; ++row) store(args, m + row, n, sums[row]);
}

}  // namespace

void linear_reference(const LinearArgs& args) {
  constexpr size_t kRows = 4;
  const size_t n_count = static_cast<size_t>(args.weight.shape[0]);
  float* w = args.scratch.data();
  for (size_t n = 0; n < n_count; ++n) {
    read_weight_row(args.weight, n, w);
    size_t m = 0;
    for (; m + kRows <= args.rows; m += kRows) multiply_rows<kRows>(args, m, n, w);
    for (; m < args.rows; ++m) multiply_rows<1>(args, m, n, w);
  }
}

}  // namespace susurrus
