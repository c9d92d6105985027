#include "families/transducer/filterbank_frontend.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace susurrus {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kPreEmphasis = 0.97;
constexpr double kPoveyPower = 0.85;
constexpr double kEnergyFloor = 1.1920928955078125e-07;
constexpr const char* kSubject = "filterbank";

double mel_of(double hz) { return 1127 * std::log(1 + hz / 700); }

std::span<double> doubles(AlignedBuffer& buffer) {
  return {reinterpret_cast<double*>(buffer.data()), buffer.byte_count() / sizeof(double)};
}

Result<AlignedBuffer> allocate_doubles(uint64_t count) {
  return AlignedBuffer::allocate(count * sizeof(double), kSubject);
}

}  // namespace

Result<FilterbankFrontend> FilterbankFrontend::make(const AprilParams& params,
                                                    AprilFrontEnd front_end) {
  FilterbankFrontend made;
  made.front_end_ = front_end;
  made.band_count_ = static_cast<uint32_t>(params.mel_features);
  const auto samples = [&](int32_t milliseconds) {
    return static_cast<uint32_t>(int64_t{milliseconds} * params.samplerate / 1000);
  };
  made.shift_ = samples(params.frame_shift_ms);
  uint32_t length = samples(params.frame_length_ms);
  if (params.round_pow2 != 0) length = std::bit_ceil(length);
  SUSURRUS_CHECK(made.shift_ > 0 && length >= 2);
  SUSURRUS_ASSIGN_OR_RETURN(made.spectrum_, PowerSpectrum::make(length));
  SUSURRUS_ASSIGN_OR_RETURN(made.window_, allocate_doubles(length));
  SUSURRUS_ASSIGN_OR_RETURN(made.frame_, allocate_doubles(length));
  SUSURRUS_ASSIGN_OR_RETURN(made.power_, allocate_doubles(length / 2));
  SUSURRUS_ASSIGN_OR_RETURN(
      made.samples_,
      AlignedBuffer::allocate((uint64_t{length} + kPieceSamples) * sizeof(float), kSubject));
  const std::span<double> window = doubles(made.window_);
  for (uint32_t i = 0; i < length; ++i) {
    window[i] = std::pow(0.5 - 0.5 * std::cos(2 * kPi * i / length), kPoveyPower);
  }
  SUSURRUS_RETURN_IF_ERROR(made.make_bands(params));
  return made;
}

Status FilterbankFrontend::make_bands(const AprilParams& params) {
  const uint32_t bin_count = spectrum_.bin_count();
  const double bin_hz = static_cast<double>(params.samplerate) / spectrum_.size();
  const double low = mel_of(params.mel_low);
  const double high = mel_of(params.mel_high != 0 ? params.mel_high : params.samplerate / 2);
  const double step = (high - low) / (band_count_ + 1);
  SUSURRUS_ASSIGN_OR_RETURN(
      bands_, AlignedBuffer::allocate(uint64_t{band_count_} * sizeof(Band), kSubject));
  Band* const bands = reinterpret_cast<Band*>(bands_.data());
  const auto weight = [&](uint32_t band, uint32_t bin) {
    const double left = low + band * step;
    const double centre = left + step;
    const double right = centre + step;
    const double mel = mel_of(bin * bin_hz);
    if (mel <= left || mel >= right) return 0.0;
    return mel <= centre ? (mel - left) / (centre - left) : (right - mel) / (right - centre);
  };
  // The weights that are not 0 lie side by side, and later bands begin no lower than earlier ones.
  uint32_t first = 0;
  uint32_t weight_count = 0;
  for (uint32_t band = 0; band < band_count_; ++band) {
    while (first < bin_count && mel_of(first * bin_hz) <= low + band * step) ++first;
    uint32_t end = first;
    while (end < bin_count && weight(band, end) > 0) ++end;
    bands[band] = {first, end - first, weight_count};
    weight_count += end - first;
  }
  SUSURRUS_ASSIGN_OR_RETURN(weights_, allocate_doubles(std::max(weight_count, 1u)));
  const std::span<double> weights = doubles(weights_);
  for (uint32_t band = 0; band < band_count_; ++band) {
    for (uint32_t i = 0; i < bands[band].bin_count; ++i) {
      weights[bands[band].first_weight + i] = weight(band, bands[band].first_bin + i);
    }
  }
  return ok_status();
}

void FilterbankFrontend::begin_piece(std::span<const float> samples) {
  SUSURRUS_CHECK(samples.size() <= kPieceSamples);
  std::ranges::copy(samples, samples_.floats().data() + left_over_);
  sample_count_ = left_over_ + samples.size();
  position_ = 0;
}

bool FilterbankFrontend::next_frame(std::span<float> bands) {
  const uint32_t length = frame_length();
  if (position_ + length > sample_count_) return false;
  const float* const samples = samples_.floats().data() + position_;
  const std::span<double> frame = doubles(frame_);
  for (uint32_t i = 0; i < length; ++i) frame[i] = static_cast<double>(samples[i]);
  if (front_end_ == AprilFrontEnd::standard) {
    double sum = 0;
    for (double sample : frame) sum += sample;
    const double mean = sum / length;
    for (double& sample : frame) sample -= mean;
    for (uint32_t i = length; --i > 0;) frame[i] -= kPreEmphasis * frame[i - 1];
    frame[0] -= kPreEmphasis * frame[0];
  }
  const std::span<const double> window = doubles(window_);
  for (uint32_t i = 0; i < length; ++i) frame[i] *= window[i];
  const std::span<double> power = doubles(power_);
  spectrum_.run(frame, power);

  const Band* const rows = reinterpret_cast<const Band*>(bands_.data());
  const std::span<const double> weights = doubles(weights_);
  for (uint32_t band = 0; band < band_count_; ++band) {
    const auto [first_bin, bin_count, first_weight] = rows[band];
    double energy = 0;
    for (uint32_t i = 0; i < bin_count; ++i) {
      energy += power[first_bin + i] * weights[first_weight + i];
    }
    bands[band] = static_cast<float>(std::log(std::max(kEnergyFloor, energy)));
  }
  position_ += shift_;
  return true;
}

void FilterbankFrontend::end_piece() {
  // A shift is never longer than a frame.
  float* const samples = samples_.floats().data();
  left_over_ = sample_count_ - position_;
  std::memmove(samples, samples + position_, left_over_ * sizeof(float));
  position_ = 0;
  sample_count_ = left_over_;
}

void FilterbankFrontend::drop_piece() {
  position_ = 0;
  sample_count_ = left_over_;
}

}  // namespace susurrus
