// What is asked about a row of logits: first_above exactly, exponential_sum against float64.
#include <cmath>
#include <limits>

#include "kernels/kernel_support.h"

namespace susurrus::testing::logit_scans_test {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

}  // namespace

SUSURRUS_TEST(first_above_is_the_first_one) {
  for (const KernelTable* kernels : compiled_kernels()) {
    for (const size_t count : {0, 1, 3, 4, 5, 15, 16, 17, 31, 32, 33, 70}) {
      GuardedFloats x(count);
      x.fill(2.0f);
      EXPECT_EQ(kernels->first_above(count, x.data(), 2.0f), count);
      for (size_t place = 0; place < count; ++place) {
        x.fill(2.0f);
        x[place] = std::nextafter(2.0f, 3.0f);
        x[count - 1] = kInfinity;
        EXPECT_EQ(kernels->first_above(count, x.data(), 2.0f), place);
      }
    }
    GuardedFloats x(40);
    x.fill(std::nanf(""));
    x[7] = -kInfinity;
    EXPECT_EQ(kernels->first_above(40, x.data(), -kInfinity), 40u);
    x[30] = -std::numeric_limits<float>::max();
    EXPECT_EQ(kernels->first_above(40, x.data(), -kInfinity), 30u);
  }
}

SUSURRUS_TEST(exponential_sum_of_every_variant) {
  for (const KernelTable* kernels : compiled_kernels()) {
    for (const size_t count : {1, 2, 3, 4, 7, 8, 9, 255, 256, 257, 264, 511, 1501, 51865}) {
      for (const float spread : {0.0f, 0.1f, 3.0f, 40.0f}) {
        for (const float scale : {1.0f, 2.5f, 0.01f}) {
          Random random(count * 10 + static_cast<uint64_t>(spread));
          GuardedFloats x(count);
          x.fill_bell(random, spread);
          if (count > 2) x[1] = -kInfinity;
          float maximum = -kInfinity;
          for (float value : x.span()) maximum = std::fmax(maximum, value);
          double exact = 0;
          double tolerance = 2e-38 * static_cast<double>(count);
          for (float value : x.span()) {
            if (value == -kInfinity) continue;
            const double t = (static_cast<double>(value) - maximum) * scale;
            exact += std::exp(t);
            tolerance += (2.5e-6 - 0x1p-22 * t) * std::exp(t);
          }
          expect_close(variant_name(kernels->variant), "spread " + std::to_string(spread), count,
                       kernels->exponential_sum(count, x.data(), maximum, scale), exact, tolerance);
        }
      }
    }
  }
}

SUSURRUS_TEST(exponential_sum_of_minus_infinity_is_zero) {
  for (const KernelTable* kernels : compiled_kernels()) {
    EXPECT_EQ(kernels->exponential_sum(0, nullptr, 0.0f, 1.0f), 0.0);
    GuardedFloats x(270);
    x.fill(-kInfinity);
    EXPECT_EQ(kernels->exponential_sum(270, x.data(), -kInfinity, 1.0f), 0.0);
    x[269] = -1e30f;
    EXPECT_NEAR(kernels->exponential_sum(270, x.data(), -1e30f, 1.0f), 1.0, 1e-6);
  }
}

}  // namespace susurrus::testing::logit_scans_test
