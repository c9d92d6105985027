#include "audio/log10.h"

#include <cfloat>
#include <cmath>
#include <limits>

#include "audio/test_signals.h"
#include "harness.h"

namespace susurrus::testing::log10_test {
namespace {

double error_in_ulp(float x) {
  const double expected = std::log10(static_cast<double>(x));
  const float got = log10_f32x4(splat(x))[0];
  const float rounded = std::abs(static_cast<float>(expected));
  const double ulp = static_cast<double>(std::nextafter(rounded, FLT_MAX)) - rounded;
  return std::abs(got - expected) / ulp;
}

SUSURRUS_TEST(log10_stays_within_two_ulp_over_all_normal_numbers) {
  testing::Noise noise(7);
  double worst = 0;
  for (int exponent = -125; exponent <= 127; ++exponent) {
    for (int i = 0; i < 400; ++i) {
      worst =
          std::fmax(worst, error_in_ulp(std::ldexp(1 + std::abs(noise.next()) * 0.999f, exponent)));
    }
  }
  EXPECT_LE(worst, 2.0);
}

SUSURRUS_TEST(log10_stays_within_two_ulp_near_one) {
  double worst = 0;
  for (int i = 1; i <= 2000; ++i) {
    worst = std::fmax(worst, error_in_ulp(1 + static_cast<float>(i) * 1e-4f));
    worst = std::fmax(worst, error_in_ulp(1 - static_cast<float>(i) * 1e-4f));
    worst = std::fmax(worst, error_in_ulp(1 + static_cast<float>(i) * FLT_EPSILON));
    worst = std::fmax(worst, error_in_ulp(1 - static_cast<float>(i) * FLT_EPSILON));
  }
  EXPECT_LE(worst, 2.0);
}

SUSURRUS_TEST(log10_of_whole_powers_and_extremes) {
  const F32x4 logs =
      log10_f32x4(F32x4{1e-10f, 1.0f, std::numeric_limits<float>::infinity(), 1e10f});
  EXPECT_EQ(logs[0], -10.0f);
  EXPECT_EQ(logs[1], 0.0f);
  EXPECT_NEAR(logs[2], std::log10(static_cast<double>(FLT_MAX)), 1e-5);
  EXPECT_EQ(logs[3], 10.0f);
}

}  // namespace
}  // namespace susurrus::testing::log10_test
