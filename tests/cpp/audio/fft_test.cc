#include "audio/fft.h"

#include <cmath>
#include <vector>

#include "audio/test_signals.h"
#include "harness.h"

namespace susurrus::testing::fft_test {
namespace {

using testing::kPi;

/// |X[k]|^2 of one lane, by the definition and in double.
double naive_power(const std::vector<F32x4>& signal, int lane, int k) {
  double re = 0;
  double im = 0;
  for (int n = 0; n < Fft400::kSize; ++n) {
    const double angle = 2 * kPi * ((n * k) % Fft400::kSize) / Fft400::kSize;
    re += static_cast<double>(signal[static_cast<size_t>(n)][lane]) * std::cos(angle);
    im -= static_cast<double>(signal[static_cast<size_t>(n)][lane]) * std::sin(angle);
  }
  return re * re + im * im;
}

std::vector<F32x4> halved(const std::vector<F32x4>& signal) {
  std::vector<F32x4> result = signal;
  for (F32x4& value : result) value *= 0.5f;
  return result;
}

SUSURRUS_TEST(fft400_agrees_with_the_definition_in_every_lane) {
  testing::Noise noise(1);
  std::vector<F32x4> signal(Fft400::kSize);
  // Lanes 100 dB apart: none may leak into another.
  for (F32x4& value : signal) {
    value = F32x4{noise.next(), noise.next() * 1e-5f, noise.next() * 100, noise.next()};
  }
  std::vector<F32x4> power(Fft400::kBins);
  Fft400::power_spectrum(halved(signal).data(), power.data());
  for (int lane = 0; lane < 4; ++lane) {
    double energy = 0;
    for (const F32x4& value : signal) energy += static_cast<double>(value[lane]) * value[lane];
    double worst = 0;
    for (int k = 0; k < Fft400::kBins; ++k) {
      const double expected = naive_power(signal, lane, k);
      const double error =
          std::sqrt(static_cast<double>(power[static_cast<size_t>(k)][lane])) - std::sqrt(expected);
      worst = std::fmax(worst, std::abs(error));
    }
    EXPECT_LT(worst, 4e-7 * std::sqrt(energy));
  }
}

SUSURRUS_TEST(fft400_puts_each_tone_into_its_bin) {
  for (int k = 0; k < Fft400::kBins; ++k) {
    std::vector<F32x4> signal(Fft400::kSize);
    for (int n = 0; n < Fft400::kSize; ++n) {
      const double angle = 2 * kPi * ((n * k) % Fft400::kSize) / Fft400::kSize;
      signal[static_cast<size_t>(n)] = splat(static_cast<float>(std::cos(angle)));
    }
    std::vector<F32x4> power(Fft400::kBins);
    Fft400::power_spectrum(halved(signal).data(), power.data());
    const double peak = k == 0 || k == Fft400::kBins - 1 ? 400.0 * 400 : 200.0 * 200;
    for (int bin = 0; bin < Fft400::kBins; ++bin) {
      for (int lane = 0; lane < 4; ++lane) {
        EXPECT_NEAR(power[static_cast<size_t>(bin)][lane], bin == k ? peak : 0,
                    bin == k ? 0.1 : 1e-7);
      }
    }
    if (testing::current_case_failed()) return;
  }
}

}  // namespace
}  // namespace susurrus::testing::fft_test
