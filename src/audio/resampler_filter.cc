#include "audio/resampler_filter.h"

#include <algorithm>
#include <cmath>

#include "audio/f32x4.h"

namespace susurrus {
namespace {

constexpr double kPi = 3.14159265358979323846;
/// Half the window's length, in periods of the lower of the two rates.
constexpr double kHalfPeriods = 48;
/// 85 dB; with the length above the transition is 890 Hz wide at 16 kHz.
constexpr double kKaiserBeta = 8.4;
/// Where the response is halved, as parts of the lower rate. Downwards the transition ends at half of it.
constexpr double kCutOffDown = 7550 / 16000.0;
constexpr double kCutOffUp = 7800 / 16000.0;

constexpr uint64_t kMaxExactCoefficients = 1 << 17;
/// Interpolating between this many rows in a period of the lower rate is good to -110 dB.
constexpr double kStepsPerPeriod = 512;

/// The modified Bessel function of order 0.
double bessel_i0(double x) {
  double sum = 1;
  double term = 1;
  for (int k = 1; term > sum * 1e-17; ++k) {
    term *= (x / 2 / k) * (x / 2 / k);
    sum += term;
  }
  return sum;
}

/// `x` and `half` in inputs, `cut_off` in cycles per input. The scale is left to normalization.
double windowed_sinc(double x, double half, double cut_off) {
  const double inside = 1 - (x / half) * (x / half);
  if (inside <= 0) return 0;
  const double angle = 2 * kPi * cut_off * x;
  const double sinc = std::abs(angle) < 1e-9 ? 1 : std::sin(angle) / angle;
  return sinc * bessel_i0(kKaiserBeta * std::sqrt(inside));
}

float dot(const float* a, const float* b, uint32_t count) {
  F32x4 even = splat(0);
  F32x4 odd = splat(0);
  for (uint32_t i = 0; i < count; i += 8) {
    even += load_f32x4(a + i) * load_f32x4(b + i);
    odd += load_f32x4(a + i + 4) * load_f32x4(b + i + 4);
  }
  const F32x4 sum = even + odd;
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

}  // namespace

Result<ResamplerFilter> ResamplerFilter::create(uint32_t source_rate, uint32_t target_rate,
                                                uint32_t ratio_up) {
  const bool down = source_rate > target_rate;
  const double period = down ? static_cast<double>(source_rate) / target_rate : 1;  // in inputs
  const double half = kHalfPeriods * period;
  const double cut_off = (down ? kCutOffDown : kCutOffUp) / period;

  ResamplerFilter filter;
  const uint32_t reach = (static_cast<uint32_t>(std::ceil(half)) + 3) / 4 * 4;
  filter.taps_ = 2 * reach;
  filter.ratio_up_ = ratio_up;
  const bool exact = uint64_t{ratio_up} * filter.taps_ <= kMaxExactCoefficients;
  filter.steps_ = exact ? ratio_up : static_cast<uint32_t>(std::ceil(kStepsPerPeriod / period));

  // One row more than there are steps, the first row moved by one input, for interpolation after the last.
  const uint32_t rows = filter.steps_ + 1;
  SUSURRUS_ASSIGN_OR_RETURN(
      filter.table_,
      AlignedBuffer::allocate(uint64_t{rows} * filter.taps_ * sizeof(float), "resampler"));
  SUSURRUS_ASSIGN_OR_RETURN(
      auto scratch, AlignedBuffer::allocate(uint64_t{filter.taps_} * sizeof(double), "resampler"));
  double* coefficients = reinterpret_cast<double*>(scratch.data());
  for (uint32_t index = 0; index < rows; ++index) {
    float* row = filter.table_.floats().data() + size_t{index} * filter.taps_;
    const double fraction = static_cast<double>(index) / filter.steps_;
    double sum = 0;
    for (uint32_t tap = 0; tap < filter.taps_; ++tap) {
      const double x = static_cast<double>(tap) - (reach - 1) - fraction;
      coefficients[tap] = windowed_sinc(x, half, cut_off);
      sum += coefficients[tap];
    }
    // Every phase passes a constant unchanged.
    for (uint32_t tap = 0; tap < filter.taps_; ++tap) {
      row[tap] = static_cast<float>(coefficients[tap] / sum);
    }
  }
  return filter;
}

float ResamplerFilter::apply(const float* inputs, uint32_t phase) const {
  if (steps_ == ratio_up_) return dot(inputs, row(phase), taps_);
  const uint64_t scaled = uint64_t{phase} * steps_;
  const uint32_t index = static_cast<uint32_t>(scaled / ratio_up_);
  const float fraction =
      static_cast<float>(scaled - uint64_t{index} * ratio_up_) / static_cast<float>(ratio_up_);
  const float before = dot(inputs, row(index), taps_);
  const float after = dot(inputs, row(index + 1), taps_);
  return before + fraction * (after - before);
}

}  // namespace susurrus
