#include "families/speakers/voice_features.h"

#include <algorithm>
#include <cmath>

namespace susurrus {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr uint32_t kPoints = 512;
constexpr uint32_t kBins = kPoints / 2;
constexpr double kBinHz = double{SpeakerNetworks::kSampleRate} / kPoints;
constexpr double kLowHz = 20;
constexpr double kHighHz = 8000;
constexpr double kScale = 32768;
constexpr double kPreEmphasis = 0.97;
constexpr double kPoveyPower = 0.85;
constexpr double kEnergyFloor = 1.1920929e-07;
constexpr uint32_t kTriangleCount = SpeakerNetworks::kMelBins;

double mel_of(double hz) { return 1127 * std::log(1 + hz / 700); }

/// Triangles lie equally spaced in mels, and rise and fall with them.
double weight_of(uint32_t mel, uint32_t bin) {
  const double low = mel_of(kLowHz);
  const double step = (mel_of(kHighHz) - low) / (kTriangleCount + 1);
  const double from_left = (mel_of(bin * kBinHz) - low) / step - mel;
  return std::max(0.0, std::min(from_left, 2 - from_left));
}

std::span<double> doubles(AlignedBuffer& buffer) {
  return {reinterpret_cast<double*>(buffer.data()), buffer.byte_count() / sizeof(double)};
}

Result<AlignedBuffer> allocate_doubles(uint64_t count) {
  return AlignedBuffer::allocate(count * sizeof(double), "features of voices");
}

}  // namespace

Result<VoiceFeatures> VoiceFeatures::make() {
  VoiceFeatures made;
  SUSURRUS_ASSIGN_OR_RETURN(made.spectrum_, PowerSpectrum::make(kPoints));
  SUSURRUS_ASSIGN_OR_RETURN(made.window_, allocate_doubles(kLength));
  SUSURRUS_ASSIGN_OR_RETURN(made.signal_, allocate_doubles(kPoints));
  SUSURRUS_ASSIGN_OR_RETURN(made.power_, allocate_doubles(kBins));
  SUSURRUS_ASSIGN_OR_RETURN(
      made.triangles_,
      AlignedBuffer::allocate(kTriangleCount * sizeof(Triangle), "features of voices"));
  // A bin lies in two triangles.
  SUSURRUS_ASSIGN_OR_RETURN(made.weights_, allocate_doubles(2 * kBins));
  const std::span<double> window = doubles(made.window_);
  for (uint32_t i = 0; i < kLength; ++i) {
    window[i] = std::pow(0.5 - 0.5 * std::cos(2 * kPi * i / (kLength - 1)), kPoveyPower);
  }
  std::ranges::fill(doubles(made.signal_), 0.0);
  Triangle* const triangles = reinterpret_cast<Triangle*>(made.triangles_.data());
  const std::span<double> weights = doubles(made.weights_);
  uint32_t weight_count = 0;
  uint32_t first = 0;
  for (uint32_t mel = 0; mel < kTriangleCount; ++mel) {
    while (first < kBins && weight_of(mel, first) == 0) ++first;
    uint32_t bin = first;
    triangles[mel] = {first, 0, weight_count};
    for (double weight; bin < kBins && (weight = weight_of(mel, bin)) > 0; ++bin) {
      weights[weight_count++] = weight;
    }
    triangles[mel].bin_count = bin - first;
  }
  return made;
}

void VoiceFeatures::frame(std::span<const float, kLength> samples,
                          std::span<float, SpeakerNetworks::kMelBins> features) {
  const std::span<double> signal = doubles(signal_);
  double sum = 0;
  for (size_t i = 0; i < kLength; ++i) sum += signal[i] = static_cast<double>(samples[i]) * kScale;
  const double mean = sum / kLength;
  const std::span<const double> window = doubles(window_);
  double before = signal[0] - mean;
  for (size_t i = 0; i < kLength; ++i) {
    const double sample = signal[i] - mean;
    signal[i] = (sample - kPreEmphasis * before) * window[i];
    before = sample;
  }
  const std::span<double> power = doubles(power_);
  spectrum_.run(signal, power);
  const Triangle* const triangles = reinterpret_cast<const Triangle*>(triangles_.data());
  const std::span<const double> weights = doubles(weights_);
  for (uint32_t mel = 0; mel < kTriangleCount; ++mel) {
    const auto [first_bin, bin_count, first_weight] = triangles[mel];
    double energy = 0;
    for (uint32_t i = 0; i < bin_count; ++i) {
      energy += power[first_bin + i] * weights[first_weight + i];
    }
    features[mel] = static_cast<float>(std::log(std::max(kEnergyFloor, energy)));
  }
}

}  // namespace susurrus
