#include "graph/ops/products.h"

#include "kernels/scratch_layout.h"

namespace susurrus {
namespace {

/// In whole lines of the cache, as its beginning is.
size_t kernel_floats(size_t k) { return round_up(linear_scratch_floats(k), 16); }

}  // namespace

size_t product_scratch_byte_count(size_t rows, size_t k, bool is_packed) {
  const size_t columns = is_packed ? round_up(k, kBlockValues) : k;
  const size_t copied = columns == k ? 0 : rows * columns;
  return (kernel_floats(columns) + copied) * sizeof(float);
}

void multiply_rows(const KernelTable& kernels, LinearArgs args, size_t k,
                   std::span<uint8_t> scratch) {
  const auto columns = static_cast<size_t>(args.weight.shape[1]);
  auto* floats = reinterpret_cast<float*>(scratch.data());
  const size_t own = kernel_floats(columns);
  if (columns != k) {
    float* copies = floats + own;
    for (size_t row = 0; row < args.rows; ++row) {
      float* copy = copies + row * columns;
      std::copy_n(args.x + row * args.x_stride, k, copy);
      std::fill(copy + k, copy + columns, 0.0F);
    }
    args.x = copies;
    args.x_stride = columns;
  }
  args.scratch = {floats, own};
  // Few rows are quantised as well as can be: reading the weights takes the time.
  args.is_fine = true;
  kernels.linear(args);
}

}  // namespace susurrus
