#include "audio/resampler.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "audio/test_signals.h"
#include "harness.h"

namespace susurrus::testing::resampler_test {
namespace {

using testing::decibels;
using testing::kPi;

/// 44101 and its like have too many phases for a table of all.
constexpr uint32_t kRates[] = {8000,  11025, 12000, 22050, 24000,  32000,  44100,
                               44101, 48000, 88200, 96000, 191999, 192000, 768000};

std::vector<float> resample(uint32_t rate, std::span<const float> input, size_t piece = 5000) {
  auto created = Resampler::create(rate);
  Resampler resampler = std::move(created).value();
  std::vector<float> result;
  auto append = [&](size_t bound, auto&& write) {
    std::vector<float> out(bound);
    const size_t count = write(out.data());
    EXPECT_LE(count, bound);
    result.insert(result.end(), out.begin(), out.begin() + static_cast<ptrdiff_t>(count));
  };
  while (!input.empty()) {
    const size_t count = std::min(piece, input.size());
    append(resampler.output_bound(count),
           [&](float* out) { return resampler.push(input.first(count), out); });
    input = input.subspan(count);
  }
  append(resampler.output_bound(0), [&](float* out) { return resampler.finish(out); });
  return result;
}

/// Half a second of the tone, resampled, without the ends.
std::vector<float> resampled_tone(uint32_t rate, double hz) {
  std::vector<float> out = resample(rate, testing::tone(hz, rate, rate / 4));
  return {out.begin() + 200, out.end() - 200};
}

struct Fit {
  double gain;
  double phase;
  double rest;  // RMS of what is not the tone
};
/// The least-squares tone of that frequency; `samples` starts at output 200.
Fit fit_tone(const std::vector<float>& samples, double hz) {
  double ss = 0, sc = 0, cc = 0, sy = 0, cy = 0;
  auto angle = [&](size_t i) { return 2 * kPi * hz * static_cast<double>(i + 200) / 16000; };
  for (size_t i = 0; i < samples.size(); ++i) {
    const double s = std::sin(angle(i));
    const double c = std::cos(angle(i));
    ss += s * s, sc += s * c, cc += c * c, sy += s * samples[i], cy += c * samples[i];
  }
  const double determinant = ss * cc - sc * sc;
  const double a = (sy * cc - cy * sc) / determinant;
  const double b = (cy * ss - sy * sc) / determinant;
  double rest = 0;
  for (size_t i = 0; i < samples.size(); ++i) {
    const double error = samples[i] - a * std::sin(angle(i)) - b * std::cos(angle(i));
    rest += error * error;
  }
  return {std::hypot(a, b), std::atan2(b, a),
          std::sqrt(rest / static_cast<double>(samples.size()))};
}

SUSURRUS_TEST(resampler_is_flat_to_7_khz_without_delay_or_residue) {
  for (uint32_t rate : kRates) {
    const double top = rate < 16000 ? rate * 0.45 : 7000;
    for (double part : {0.01, 0.1, 0.33, 0.5, 0.77, 0.9, 1.0}) {
      const double hz = std::floor(top * part);
      const Fit fit = fit_tone(resampled_tone(rate, hz), hz);
      EXPECT_NEAR(decibels(fit.gain), 0, 0.1);
      EXPECT_NEAR(fit.phase, 0, 1e-4);
      // Images (upwards), interpolation between phases: 80 dB below the tone.
      EXPECT_LT(decibels(fit.rest / std::sqrt(0.5)), -80.0);
      if (testing::current_case_failed()) return;
    }
  }
}

SUSURRUS_TEST(resampler_rejects_what_would_fold_back_by_80_db) {
  for (uint32_t rate : kRates) {
    const double nyquist = rate / 2.0;
    for (double hz : {8000.0, 8010.0, 8100.0, 8500.0, 9000.0, 10000.0, 11000.0, 12345.0, 15000.0,
                      16000.0, 20000.0, 23000.0, 32000.0, 47000.0, 90000.0, 300000.0}) {
      if (hz >= nyquist) continue;
      double energy = 0;
      const std::vector<float> out = resampled_tone(rate, hz);
      for (float sample : out) energy += static_cast<double>(sample) * sample;
      const double rms = std::sqrt(energy / static_cast<double>(out.size()));
      EXPECT_LT(decibels(rms / std::sqrt(0.5)), -80.0);
      if (testing::current_case_failed()) return;
    }
  }
}

SUSURRUS_TEST(resampler_keeps_a_constant) {
  for (uint32_t rate : kRates) {
    const std::vector<float> out = resample(rate, std::vector<float>(rate / 10, 0.75f));
    for (size_t i = 200; i + 200 < out.size(); ++i) ASSERT_NEAR(out[i], 0.75, 1e-6);
  }
}

SUSURRUS_TEST(resampler_gives_one_output_for_every_16000th_begun) {
  for (uint32_t rate :
       {1000u, 8000u, 11025u, 15999u, 16000u, 16001u, 44100u, 48000u, 767999u, 768000u}) {
    const std::vector<float> input = testing::Noise(rate).samples(30000);
    for (size_t count : {0u, 1u, 2u, 3u, 47u, 48u, 49u, 441u, 5000u, 29999u, 30000u}) {
      const size_t expected = (count * 16000 + rate - 1) / rate;
      EXPECT_EQ(resample(rate, std::span(input).first(count)).size(), expected);
    }
  }
}

SUSURRUS_TEST(resampler_does_not_depend_on_the_pieces) {
  for (uint32_t rate : {8000u, 16000u, 44100u, 44101u, 768000u}) {
    const std::vector<float> input = testing::Noise(rate).samples(12000);
    const std::vector<float> whole = resample(rate, input, input.size());
    for (size_t piece : {1u, 7u, 4096u, 4097u}) {
      ASSERT_TRUE(resample(rate, input, piece) == whole);
    }
  }
}

SUSURRUS_TEST(resampler_passes_16_khz_unchanged) {
  const std::vector<float> input = testing::Noise(3).samples(10000);
  EXPECT_TRUE(resample(16000, input) == input);
}

}  // namespace
}  // namespace susurrus::testing::resampler_test
