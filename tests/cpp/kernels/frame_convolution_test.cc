// Convolutions of three taps by products of integers, against float64.
#include "kernels/frame_convolution/frame_convolution.h"

#include <cmath>

#include "kernels/kernel_support.h"

namespace susurrus::testing::frame_convolution_test {
namespace {

struct Sizes {
  size_t rows;
  size_t channels;
  size_t inputs;
  bool accumulates;
};
constexpr size_t kOutputs = 16;

/// Rows of the inputs between two rows of zeros, what they are folded to, and what is expected of each sum.
struct Case {
  explicit Case(const Sizes& sizes)
      : sizes(sizes),
        stride(sizes.channels),
        x(sizes.inputs * (sizes.rows + 2) * stride),
        weights(kOutputs * sizes.inputs * 3 * sizes.channels),
        bias(kOutputs) {
    Random random(sizes.rows * 100 + sizes.channels);
    for (size_t s = 0; s < sizes.inputs; ++s) {
      for (size_t i = 0; i < (sizes.rows + 2) * stride; ++i) {
        const bool is_inside = i >= stride && i < (sizes.rows + 1) * stride;
        x[s * (sizes.rows + 2) * stride + i] = is_inside ? random.uniform(0, 2) : 0;
      }
    }
    weights.fill_bell(random, 0.1f);
    bias.fill_bell(random, 1);
  }

  double exact(size_t row, size_t n, size_t left_out, double& magnitudes) const {
    double sum = bias[n];
    for (size_t s = 0; s < sizes.inputs; ++s) {
      if (s == left_out) continue;
      for (size_t k = 0; k < 3 * sizes.channels; ++k) {
        const double product = static_cast<double>(x[(s * (sizes.rows + 2) + row) * stride + k]) *
                               weights[(s * kOutputs + n) * 3 * sizes.channels + k];
        sum += product;
        magnitudes += std::fabs(product);
      }
    }
    return sum;
  }

  Sizes sizes;
  size_t stride;
  GuardedFloats x;
  GuardedFloats weights;
  GuardedFloats bias;
};

void check(const KernelTable& kernels, const Sizes& sizes) {
  const Case given(sizes);
  const size_t folded = FrameConvolution::folded(sizes.rows, sizes.channels);
  std::vector<int16_t> integers(sizes.inputs * folded);
  constexpr float kFactor = FrameConvolution::kLimit / 4;
  std::vector<const int16_t*> inputs;
  for (size_t s = 0; s < sizes.inputs; ++s) {
    kernels.fold_frames({.rows = sizes.rows,
                         .channels = sizes.channels,
                         .x = given.x.data() + (s * (sizes.rows + 2) + 1) * given.stride,
                         .x_stride = given.stride,
                         .factor = kFactor,
                         .out = integers.data() + s * folded});
    inputs.push_back(integers.data() + s * folded);
  }
  const size_t left_out = sizes.inputs > 1 ? sizes.inputs - 1 : sizes.inputs;
  if (left_out < sizes.inputs) inputs[left_out] = nullptr;
  std::vector<int16_t> weights(FrameConvolution::weights(kOutputs, sizes.inputs, sizes.channels));
  std::vector<float> scales(kOutputs);
  std::vector<float> row(3 * sizes.channels * sizes.inputs);
  TensorView view;
  view.dtype = Dtype::f32;
  view.shape = Shape({kOutputs * sizes.inputs, 3 * sizes.channels});
  view.data = reinterpret_cast<const uint8_t*>(given.weights.data());
  fold_weights(view, kOutputs, sizes.inputs, row.data(), weights.data(), scales.data());
  constexpr size_t kStride = kOutputs + 3;
  GuardedFloats y(sizes.rows * kStride);
  y.fill(0.5f);
  kernels.convolve_frames({.rows = sizes.rows,
                           .channels = sizes.channels,
                           .outputs = kOutputs,
                           .inputs = inputs,
                           .weights = weights.data(),
                           .scales = scales.data(),
                           .scale = 1 / kFactor,
                           .bias = given.bias.data(),
                           .y = y.data(),
                           .y_stride = kStride,
                           .accumulates = sizes.accumulates});
  EXPECT_TRUE(y.guards_are_intact());
  for (size_t r = 0; r < sizes.rows; ++r) {
    for (size_t n = 0; n < kStride; ++n) {
      const float got = y[r * kStride + n];
      if (n >= kOutputs) {
        EXPECT_EQ(got, 0.5f);
        continue;
      }
      double magnitudes = 0;
      const double exact = given.exact(r, n, left_out, magnitudes) + (sizes.accumulates ? 0.5 : 0);
      // Each weight is off by up to half its row's step: 1 / 65000 of the row's sum.
      expect_close(variant_name(kernels.variant), "frame", r * kOutputs + n, got, exact,
                   4e-3 * magnitudes / std::sqrt(3.0 * static_cast<double>(sizes.channels)) + 1e-3);
    }
  }
}

}  // namespace

SUSURRUS_TEST(frame_convolution_of_all_sizes) {
  for (const KernelTable* kernels : compiled_kernels()) {
    for (const size_t rows : {1, 2, 3, 11, 12, 13, 40}) {
      check(*kernels, {rows, 32, 3, rows % 2 == 0});
      check(*kernels, {rows, 128, 1, rows % 2 == 1});
      check(*kernels, {rows, 4, 2, false});
    }
  }
}

// As loud as can be: all numbers of one sign, at the limit.
SUSURRUS_TEST(frame_convolution_never_overflows) {
  for (const KernelTable* kernels : compiled_kernels()) {
    constexpr size_t kRows = 4;
    constexpr size_t kChannels = 128;
    GuardedFloats x((kRows + 2) * kChannels);
    x.fill(0);
    for (size_t i = kChannels; i < (kRows + 1) * kChannels; ++i) x[i] = 1;
    GuardedFloats taps(8 * 3 * kChannels);
    taps.fill(1);
    std::vector<int16_t> folded(FrameConvolution::folded(kRows, kChannels));
    std::vector<int16_t> weights(FrameConvolution::weights(8, 1, kChannels));
    std::vector<float> scales(8);
    std::vector<float> row(3 * kChannels);
    TensorView view;
    view.dtype = Dtype::f32;
    view.shape = Shape({8, 3 * kChannels});
    view.data = reinterpret_cast<const uint8_t*>(taps.data());
    fold_weights(view, 8, 1, row.data(), weights.data(), scales.data());
    kernels->fold_frames({.rows = kRows,
                          .channels = kChannels,
                          .x = x.data() + kChannels,
                          .x_stride = kChannels,
                          .factor = FrameConvolution::kLimit / 2,
                          .out = folded.data()});
    GuardedFloats y(kRows * 8);
    const int16_t* const inputs[] = {folded.data()};
    kernels->convolve_frames({.rows = kRows,
                              .channels = kChannels,
                              .outputs = 8,
                              .inputs = inputs,
                              .weights = weights.data(),
                              .scales = scales.data(),
                              .scale = 2 / FrameConvolution::kLimit,
                              .y = y.data(),
                              .y_stride = 8});
    for (size_t n = 0; n < 8; ++n) {
      EXPECT_NEAR(y[n], 2.0 * kChannels, 2.5);
      EXPECT_NEAR(y[8 + n], 3.0 * kChannels, 2.5);
    }
  }
}

}  // namespace susurrus::testing::frame_convolution_test
