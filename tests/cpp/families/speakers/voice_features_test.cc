#include "families/speakers/voice_features.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "audio/test_signals.h"
#include "harness.h"

namespace susurrus::testing::voice_features_test {
namespace {

constexpr size_t kLength = VoiceFeatures::kLength;
constexpr size_t kMels = SpeakerNetworks::kMelBins;

double mel_of(double hz) { return 1127 * std::log(1 + hz / 700); }

/// Written down step by step as the definition has it.
std::array<double, kMels> defined(const std::vector<float>& samples) {
  std::vector<double> frame(kLength);
  double mean = 0;
  for (float sample : samples) mean += double{sample} * 32768 / kLength;
  for (size_t i = 0; i < kLength; ++i) {
    const double before = double{samples[i == 0 ? 0 : i - 1]} * 32768 - mean;
    frame[i] = (double{samples[i]} * 32768 - mean - 0.97 * before) *
               std::pow(0.5 - 0.5 * std::cos(2 * kPi * static_cast<double>(i) / 399), 0.85);
  }
  std::array<double, kMels> energies{};
  const double low = mel_of(20);
  const double step = (mel_of(8000) - low) / 81;
  for (size_t bin = 0; bin < 256; ++bin) {
    double re = 0;
    double im = 0;
    for (size_t i = 0; i < kLength; ++i) {
      const double angle = 2 * kPi * static_cast<double>(bin * i % 512) / 512;
      re += frame[i] * std::cos(angle);
      im -= frame[i] * std::sin(angle);
    }
    for (size_t mel = 0; mel < kMels; ++mel) {
      const double left = low + static_cast<double>(mel) * step;
      const double at = mel_of(static_cast<double>(bin) * 31.25);
      const double weight = std::min((at - left) / step, (left + 2 * step - at) / step);
      if (weight > 0) energies[mel] += weight * (re * re + im * im);
    }
  }
  for (double& energy : energies) energy = std::log(std::max(energy, 1.1920929e-07));
  return energies;
}

void expect_defined(const std::vector<float>& samples) {
  auto features = VoiceFeatures::make().value();
  std::array<float, kMels> found{};
  // Twice: nothing of a frame is left in the next.
  for (int round = 0; round < 2; ++round) {
    features.frame(std::span<const float, kLength>(samples.data(), kLength), found);
  }
  const auto wanted = defined(samples);
  for (size_t mel = 0; mel < kMels; ++mel) EXPECT_NEAR(found[mel], wanted[mel], 1e-5);
}

}  // namespace

SUSURRUS_TEST(features_of_voices_are_as_defined) {
  std::vector<float> samples(kLength);
  for (size_t n = 0; n < kLength; ++n) {
    samples[n] = static_cast<float>(static_cast<int>(n * 7919 % 2001) - 1000) / 32768;
  }
  expect_defined(samples);
  for (float& sample : samples) sample = sample * 0.01F + 0.5F;
  expect_defined(samples);
}

SUSURRUS_TEST(features_of_silence_are_the_floor) {
  expect_defined(std::vector<float>(kLength, 0.0F));
  expect_defined(std::vector<float>(kLength, 0.25F));
}

SUSURRUS_TEST(features_exist_from_400_samples_on) {
  EXPECT_EQ(VoiceFeatures::frame_count(0), 0u);
  EXPECT_EQ(VoiceFeatures::frame_count(399), 0u);
  EXPECT_EQ(VoiceFeatures::frame_count(400), 1u);
  EXPECT_EQ(VoiceFeatures::frame_count(559), 1u);
  EXPECT_EQ(VoiceFeatures::frame_count(560), 2u);
}

}  // namespace susurrus::testing::voice_features_test
