// gelu, sigmoid, tanh, add, softmax and layer_norm of every variant against float64.
#include <cmath>
#include <limits>

#include "kernels/kernel_support.h"

namespace susurrus::testing::elementwise_test {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr size_t kCounts[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100};

}  // namespace

SUSURRUS_TEST(gelu_is_the_exact_form) {
  for (const KernelTable* kernels : compiled_kernels()) {
    GuardedFloats x(60001);
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = (static_cast<float>(i) - 30000) / 2000;  // -15 to 15
    GuardedFloats y(x.size());
    kernels->gelu(x.size(), x.data(), y.data());
    for (size_t i = 0; i < x.size(); ++i) {
      const double exact = exact_gelu(x[i]);
      expect_close(variant_name(kernels->variant), "gelu", i, y[i], exact,
                   1e-6 + 0x1p-23 * std::fabs(exact));
    }
    // The tanh approximation is 4.7e-4 away here, so that one would be noticed.
    EXPECT_GT(std::fabs(0.5 * 2.2 * (1 + std::tanh(0.7978845608 * (2.2 + 0.044715 * 10.648))) -
                        exact_gelu(2.2)),
              2e-4);
  }
}

SUSURRUS_TEST(gelu_of_extremes_tails_and_in_place) {
  for (const KernelTable* kernels : compiled_kernels()) {
    for (const size_t count : kCounts) {
      Random random(count);
      GuardedFloats x(count);
      x.fill_bell(random, 3);
      GuardedFloats y(count);
      kernels->gelu(count, x.data(), y.data());
      EXPECT_TRUE(y.guards_are_intact());
      for (size_t i = 0; i < count; ++i) EXPECT_NEAR(y[i], exact_gelu(x[i]), 2e-6);
      kernels->gelu(count, x.data(), x.data());
      for (size_t i = 0; i < count; ++i) EXPECT_EQ(x[i], y[i]);
    }
    GuardedFloats x(8);
    const float values[8] = {kInfinity, -kInfinity, 0.0f,          -0.0f,
                             1e30f,     -1e30f,     std::nanf(""), 1e-40f};
    std::copy(values, values + 8, x.data());
    kernels->gelu(8, x.data(), x.data());
    EXPECT_EQ(x[0], kInfinity);
    EXPECT_NEAR(x[1], 0, 1e-6);
    EXPECT_EQ(x[2], 0.0f);
    EXPECT_EQ(x[3], 0.0f);
    EXPECT_EQ(x[4], 1e30f);
    EXPECT_NEAR(x[5], 0, 1e-6);
    EXPECT_TRUE(std::isnan(x[6]));
    EXPECT_NEAR(x[7], 0.5e-40, 1e-40);
  }
}

SUSURRUS_TEST(sigmoid_and_tanh_of_every_size) {
  for (const KernelTable* kernels : compiled_kernels()) {
    GuardedFloats x(80003);
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = (static_cast<float>(i) - 40000) / 400;  // -100 to 100
    GuardedFloats y(x.size());
    kernels->sigmoid(x.size(), x.data(), y.data());
    EXPECT_TRUE(y.guards_are_intact());
    for (size_t i = 0; i < x.size(); ++i) {
      const double exact = 1 / (1 + std::exp(-static_cast<double>(x[i])));
      expect_close(variant_name(kernels->variant), "sigmoid", i, y[i], exact, 4e-7);
    }
    kernels->tanh(x.size(), x.data(), y.data());
    EXPECT_TRUE(y.guards_are_intact());
    for (size_t i = 0; i < x.size(); ++i) {
      const double exact = std::tanh(static_cast<double>(x[i]));
      expect_close(variant_name(kernels->variant), "tanh", i, y[i], exact,
                   std::fmin(4e-7, 5e-7 * std::fabs(exact)));
    }
    // From 1e-30 to 1: small values keep their digits.
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(std::pow(10, -i / 2667.0));
    kernels->tanh(x.size(), x.data(), y.data());
    for (size_t i = 0; i < x.size(); ++i) {
      const double exact = std::tanh(static_cast<double>(x[i]));
      expect_close(variant_name(kernels->variant), "small tanh", i, y[i], exact, 5e-7 * exact);
    }
  }
}

SUSURRUS_TEST(sigmoid_and_tanh_of_extremes_tails_and_in_place) {
  for (const KernelTable* kernels : compiled_kernels()) {
    for (const auto function : {kernels->sigmoid, kernels->tanh}) {
      for (const size_t count : kCounts) {
        Random random(count);
        GuardedFloats x(count);
        x.fill_bell(random, 3);
        GuardedFloats y(count);
        function(count, x.data(), y.data());
        EXPECT_TRUE(y.guards_are_intact());
        function(count, x.data(), x.data());
        for (size_t i = 0; i < count; ++i) EXPECT_EQ(x[i], y[i]);
      }
      const bool is_tanh = function == kernels->tanh;
      float x[7] = {kInfinity, -kInfinity, 0.0f, -0.0f, 1e30f, -1e30f, std::nanf("")};
      function(7, x, x);
      for (const size_t i : {0, 4}) EXPECT_EQ(x[i], 1.0f);
      for (const size_t i : {1, 5}) EXPECT_EQ(x[i], is_tanh ? -1.0f : 0.0f);
      for (const size_t i : {2, 3}) EXPECT_EQ(x[i], is_tanh ? 0.0f : 0.5f);
      EXPECT_TRUE(std::isnan(x[6]));
    }
  }
}

SUSURRUS_TEST(add_rounds_once) {
  for (const KernelTable* kernels : compiled_kernels()) {
    for (const size_t count : kCounts) {
      Random random(count + 1);
      GuardedFloats x(count);
      GuardedFloats y(count);
      x.fill_bell(random, 2);
      y.fill_bell(random, 100);
      std::vector<float> before(y.data(), y.data() + count);
      kernels->add(count, x.data(), y.data());
      EXPECT_TRUE(y.guards_are_intact());
      for (size_t i = 0; i < count; ++i) EXPECT_EQ(y[i], before[i] + x[i]);
    }
  }
}

SUSURRUS_TEST(softmax_of_every_variant) {
  for (const KernelTable* kernels : compiled_kernels()) {
    for (const size_t columns : {1, 2, 3, 4, 5, 7, 8, 9, 17, 64, 99, 1500}) {
      for (const float spread : {0.1f, 3.0f, 40.0f}) {
        const size_t rows = 3;
        const size_t stride = columns + columns % 3;
        Random random(columns * 10 + static_cast<uint64_t>(spread));
        GuardedFloats x(rows * stride);
        x.fill_bell(random, spread);
        if (columns > 2) x[1] = -kInfinity;
        const std::vector<float> before(x.data(), x.data() + x.size());
        kernels->softmax(rows, columns, x.data(), stride);
        EXPECT_TRUE(x.guards_are_intact());
        for (size_t r = 0; r < rows; ++r) {
          const float* row = before.data() + r * stride;
          double max = -kInfinity;
          for (size_t c = 0; c < columns; ++c) max = std::fmax(max, row[c]);
          double sum = 0;
          for (size_t c = 0; c < columns; ++c) sum += std::exp(row[c] - max);
          for (size_t c = 0; c < columns; ++c) {
            if (row[c] == -kInfinity) {
              EXPECT_EQ(x[r * stride + c], 0.0f);
              continue;
            }
            const double exact = std::exp(row[c] - max) / sum;
            expect_close(variant_name(kernels->variant), "columns " + std::to_string(columns), c,
                         x[r * stride + c], exact,
                         (1e-6 + 0x1p-22 * (max - row[c])) * exact + 1e-37);
          }
          for (size_t c = columns; c < stride; ++c)
            EXPECT_EQ(x[r * stride + c], before[r * stride + c]);
        }
        if (columns > 2) EXPECT_EQ(x[1], 0.0f);
      }
    }
  }
}

SUSURRUS_TEST(softmax_of_minus_infinity_is_zero) {
  for (const KernelTable* kernels : compiled_kernels()) {
    for (const size_t columns : {1, 4, 9}) {
      GuardedFloats x(columns);
      x.fill(-kInfinity);
      kernels->softmax(1, columns, x.data(), columns);
      for (size_t c = 0; c < columns; ++c) EXPECT_EQ(x[c], 0.0f);
    }
    GuardedFloats x(9);
    x.fill(-kInfinity);
    x[8] = -1e30f;
    kernels->softmax(1, 9, x.data(), 9);
    EXPECT_EQ(x[8], 1.0f);
    EXPECT_EQ(x[0], 0.0f);
  }
}

SUSURRUS_TEST(layer_norm_of_every_variant) {
  for (const KernelTable* kernels : compiled_kernels()) {
    for (const size_t columns : {1, 3, 4, 5, 15, 16, 17, 63, 384, 1281}) {
      for (const float offset : {0.0f, 30.0f}) {
        const size_t rows = 3;
        const size_t x_stride = columns + 3;
        const size_t y_stride = columns + 1;
        Random random(columns + static_cast<uint64_t>(offset));
        GuardedFloats x(rows * x_stride);
        GuardedFloats y(rows * y_stride);
        GuardedFloats gamma(columns);
        GuardedFloats beta(columns);
        x.fill_bell(random, 2);
        for (float& value : x.span()) value += offset;
        gamma.fill_bell(random, 1);
        beta.fill_bell(random, 1);
        y.fill(7);
        kernels->layer_norm(rows, columns, x.data(), x_stride, gamma.data(), beta.data(), y.data(),
                            y_stride);
        EXPECT_TRUE(y.guards_are_intact());
        for (size_t r = 0; r < rows; ++r) {
          const float* row = x.data() + r * x_stride;
          double mean = 0;
          double largest = 0;
          for (size_t c = 0; c < columns; ++c) {
            mean += row[c] / static_cast<double>(columns);
            largest = std::fmax(largest, std::fabs(row[c]));
          }
          double variance = 0;
          for (size_t c = 0; c < columns; ++c)
            variance += (row[c] - mean) * (row[c] - mean) / static_cast<double>(columns);
          const double deviation = std::sqrt(variance + 1e-5);
          for (size_t c = 0; c < columns; ++c) {
            const double scaled = (row[c] - mean) / deviation * gamma[c];
            const double tolerance = 1e-6 * (std::fabs(scaled) + std::fabs(beta[c])) +
                                     4e-7 * std::fabs(gamma[c]) * largest / deviation;
            expect_close(variant_name(kernels->variant), "columns " + std::to_string(columns), c,
                         y[r * y_stride + c], scaled + beta[c], tolerance);
          }
          EXPECT_EQ(y[r * y_stride + columns], 7.0f);
        }
        // In place, the result is equal.
        kernels->layer_norm(rows, columns, x.data(), x_stride, gamma.data(), beta.data(), x.data(),
                            x_stride);
        for (size_t c = 0; c < columns; ++c) EXPECT_EQ(x[c], y[c]);
      }
    }
  }
}

}  // namespace susurrus::testing::elementwise_test
