#include "kernels/conv_gelu/conv_gelu.h"
#include "kernels/dequantize_row/dequantize_row.h"
#include "kernels/gelu/gelu.h"

namespace susurrus {

void conv_gelu_reference(const ConvArgs& args) {
  const size_t channels_out = static_cast<size_t>(args.weight.shape[0]);
  const size_t channels_in = args.channels_in;
  float* w = args.scratch.data();
  for (size_t o = 0; o < channels_out; ++o) {
    dequantize_row_reference(args.weight.dtype, args.weight.row(o), 3 * channels_in, w);
    for (size_t t = 0; t < args.frames_out; ++t) {
      double sum = args.bias == nullptr ? 0.0 : static_cast<double>(args.bias[o]);
      for (size_t j = 0; j < 3; ++j) {
        const float* x = args.x + (t * args.stride + j) * channels_in;
        for (size_t c = 0; c < channels_in; ++c) sum += static_cast<double>(x[c]) * w[3 * c + j];
      }
      float* y = args.y + t * channels_out + o;
      *y = static_cast<float>(sum);
      gelu_reference(1, y, y);
    }
  }
}

}  // namespace susurrus
