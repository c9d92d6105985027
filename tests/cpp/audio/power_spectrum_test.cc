#include "audio/power_spectrum.h"

#include <cmath>
#include <vector>

#include "audio/test_signals.h"
#include "harness.h"

namespace susurrus::testing::power_spectrum_test {
namespace {

using testing::kPi;

std::vector<double> test_signal(uint32_t size) {
  std::vector<double> signal(size);
  for (uint32_t i = 0; i < size; ++i) signal[i] = std::sin(0.7 * i * i) + 0.25 * (i % 3);
  return signal;
}

/// The power of a bin by its definition.
double power_at(const std::vector<double>& signal, uint32_t bin) {
  double re = 0;
  double im = 0;
  for (uint64_t n = 0; n < signal.size(); ++n) {
    const double angle =
        2 * kPi * static_cast<double>(n * bin % signal.size()) / static_cast<double>(signal.size());
    re += signal[n] * std::cos(angle);
    im -= signal[n] * std::sin(angle);
  }
  return re * re + im * im;
}

}  // namespace

SUSURRUS_TEST(power_spectrum_is_that_of_the_definition) {
  for (uint32_t size : {2u, 3u, 4u, 5u, 7u, 8u, 16u, 30u, 275u, 400u, 480u, 512u, 551u, 1024u}) {
    PowerSpectrum spectrum = PowerSpectrum::make(size).value();
    ASSERT_EQ(spectrum.bin_count(), size / 2);
    const std::vector<double> signal = test_signal(size);
    std::vector<double> power(spectrum.bin_count());
    // Twice: nothing may be left of the first.
    spectrum.run(std::vector<double>(size, 1.0), power);
    spectrum.run(signal, power);
    for (uint32_t bin = 0; bin < power.size(); ++bin) {
      const double expected = power_at(signal, bin);
      ASSERT_NEAR(power[bin], expected, 1e-10 * (size + expected));
    }
  }
}

}  // namespace susurrus::testing::power_spectrum_test
