#include <algorithm>
#include <cmath>

#include "kernels/frame_convolution/frame_convolution.h"
#include "kernels/packed_weights/packed_weights.h"

namespace susurrus {

using Sizes = FrameConvolution;

void fold_frames_reference(const FoldFramesArgs& args) {
  const size_t tiles = Sizes::tiles(args.rows);
  for (size_t i = 0; i < tiles * Sizes::kTileRows; ++i) {
    for (size_t c = 0; c < args.channels; ++c) {
      // The row behind the last is zeros, and stands for all that follow it.
      const auto d = [&](size_t row) {
        return row == 0 ? *(args.x - args.x_stride + c)
                        : args.x[std::min(row - 1, args.rows) * args.x_stride + c];
      };
      const size_t first = 2 * i;
      const float v[] = {d(first) - d(first + 2), d(first + 1) + d(first + 2),
                         d(first + 2) - d(first + 1), d(first + 1) - d(first + 3)};
      for (size_t p = 0; p < Sizes::kPoints; ++p) {
        const float rounded = std::nearbyint(v[p] * args.factor);
        const float q = std::clamp(rounded, -Sizes::kLimit, Sizes::kLimit);
        const size_t at = ((p * tiles + i / Sizes::kTileRows) * (args.channels / 2) + c / 2) *
                              Sizes::kTileRows * 2 +
                          i % Sizes::kTileRows * 2 + c % 2;
        args.out[at] = static_cast<int16_t>(q == q ? q : 0);
      }
    }
  }
}

void convolve_frames_reference(const ConvolveFramesArgs& args) {
  const size_t tiles = Sizes::tiles(args.rows);
  const size_t depth = args.inputs.size() * args.channels;
  for (size_t row = 0; row < args.rows; row += 2) {
    for (size_t n = 0; n < args.outputs; ++n) {
      float m[Sizes::kPoints];
      for (size_t p = 0; p < Sizes::kPoints; ++p) {
        const int16_t* w =
            args.weights + (n / Sizes::kOutputs * Sizes::kPoints + p) * depth * Sizes::kOutputs;
        int32_t sum = 0;
        for (size_t k = 0; k < depth; ++k) {
          const int16_t* x = args.inputs[k / args.channels];
          if (x == nullptr) continue;
          const size_t c = k % args.channels;
          const size_t i = row / 2;
          const size_t at = ((p * tiles + i / Sizes::kTileRows) * (args.channels / 2) + c / 2) *
                                Sizes::kTileRows * 2 +
                            i % Sizes::kTileRows * 2 + c % 2;
          sum += x[at] * w[k / 2 * 2 * Sizes::kOutputs + n % Sizes::kOutputs * 2 + k % 2];
        }
        m[p] = static_cast<float>(sum);
      }
      const float scale = args.scales[n] * args.scale;
      const auto store = [&](size_t at, float value) {
        float& y = args.y[at * args.y_stride + n];
        value = value * scale + (args.bias == nullptr ? 0.0f : args.bias[n]);
        y = args.accumulates ? y + value : value;
      };
      store(row, m[0] + m[1] + m[2]);
      if (row + 1 < args.rows) store(row + 1, m[1] - m[2] - m[3]);
    }
  }
}

void fold_weights(const TensorView& weight, size_t outputs, size_t inputs, float* row, int16_t* to,
                  float* scales) {
  const size_t channels = static_cast<size_t>(weight.shape[1]) / 3;
  const size_t depth = inputs * channels;
  for (size_t n = 0; n < outputs; ++n) {
    const auto u = [&](size_t p, size_t k) {
      const float* g = row + k / channels * 3 * channels + k % channels;
      const float outer = g[0] + g[2 * channels];
      if (p == 0) return g[0];
      if (p == 3) return g[2 * channels];
      return (p == 1 ? outer + g[channels] : outer - g[channels]) / 2;
    };
    for (size_t s = 0; s < inputs; ++s) {
      read_weight_row(weight, s * outputs + n, row + s * 3 * channels);
    }
    float most = 0;
    for (size_t p = 0; p < Sizes::kPoints; ++p) {
      float sum = 0;
      for (size_t k = 0; k < depth; ++k) {
        sum += std::fabs(u(p, k));
        most = std::max(most, std::fabs(u(p, k)) * Sizes::kRowLimit / Sizes::kLimit);
      }
      most = std::max(most, sum);
    }
    // Each may be rounded up by a half.
    const float limit = Sizes::kRowLimit - static_cast<float>(depth);
    scales[n] = most > 0 ? most / limit : 1;
    for (size_t p = 0; p < Sizes::kPoints; ++p) {
      int16_t* panel = to + (n / Sizes::kOutputs * Sizes::kPoints + p) * depth * Sizes::kOutputs;
      for (size_t k = 0; k < depth; ++k) {
        panel[k / 2 * 2 * Sizes::kOutputs + n % Sizes::kOutputs * 2 + k % 2] =
            static_cast<int16_t>(std::nearbyint(u(p, k) / scales[n]));
      }
    }
  }
}

}  // namespace susurrus
