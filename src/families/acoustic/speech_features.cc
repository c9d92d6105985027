#include "families/acoustic/speech_features.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace susurrus {
namespace {

constexpr double kPreEmphasis = 0.97;
constexpr double kSampleScale = 32768;
constexpr double kLifter = 22;
constexpr size_t kMostFrameSize = 1 << 20;
constexpr uint32_t kMostFilters = 1 << 12;
constexpr uint32_t kMostChannels = 64;
constexpr uint32_t kMostContext = 1 << 16;

Error bad_flag(const char* flag, std::string_view expected) {
  return make_error(ErrorCode::malformed, ErrorReason::bad_metadata)
      .with_subject(flag)
      .with_expected(expected);
}

size_t samples_of(double milliseconds, double rate) {
  const double samples = std::round(0.001 * milliseconds * rate);
  // False for NaN too.
  return samples >= 1 && samples <= double{kMostFrameSize} ? static_cast<size_t>(samples) : 0;
}

double mel_of(double hertz) { return 2595 * std::log10(1 + hertz / 700); }
double hertz_of(double mel) { return 700 * (std::pow(10, mel / 2595) - 1); }

/// In place, `values` being complex numbers; their count is a power of two. twiddles: e^(i·pi·k/(count/2)).
void transform(std::span<double> values, std::span<const double> twiddles) {
  const size_t count = values.size() / 2;
  for (size_t i = 1, j = 0; i < count; ++i) {
    size_t bit = count >> 1;
    for (; (j & bit) != 0; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i >= j) continue;
    std::swap(values[2 * i], values[2 * j]);
    std::swap(values[2 * i + 1], values[2 * j + 1]);
  }
  for (size_t half = 1; half < count; half *= 2) {
    const size_t stride = count / (2 * half);
    for (size_t start = 0; start < count; start += 2 * half) {
      for (size_t k = 0; k < half; ++k) {
        const double cosine = twiddles[2 * k * stride];
        const double sine = twiddles[2 * k * stride + 1];
        double* a = &values[2 * (start + k)];
        double* b = a + 2 * half;
        const double real = b[0] * cosine + b[1] * sine;
        const double imaginary = b[1] * cosine - b[0] * sine;
        b[0] = a[0] - real;
        b[1] = a[1] - imaginary;
        a[0] += real;
        a[1] += imaginary;
      }
    }
  }
}

}  // namespace

Result<SpeechFeatures> SpeechFeatures::make(const SpeechFeatureSettings& settings) {
  SpeechFeatures features;
  features.settings_ = settings;
  if (!(settings.sample_rate > 0)) return bad_flag("flags.samplerate", "a number above 0");
  features.frame_size_ = samples_of(settings.frame_size_ms, settings.sample_rate);
  features.hop_ = samples_of(settings.frame_stride_ms, settings.sample_rate);
  if (features.frame_size_ < 2) return bad_flag("flags.framesizems", "2 to 1048576 samples");
  if (features.hop_ == 0) return bad_flag("flags.framestridems", "1 to 1048576 samples");
  if (settings.channel_count < 1 || settings.channel_count > kMostChannels) {
    return bad_flag("flags.channels", "1 to 64");
  }
  if (settings.delta_window > kMostContext) return bad_flag("flags.devwin", "at most 65536");
  if (std::max(settings.left_context, settings.right_context) > kMostContext) {
    return bad_flag("flags.localnrmlleftctx, localnrmlrightctx", "at most 65536");
  }
  if (settings.kind == SpeechFeatureKind::raw) {
    features.hop_ = features.frame_size_ = 1;
    return features;
  }
  const bool has_filters = settings.kind != SpeechFeatureKind::pow;
  if (has_filters && (settings.filterbanks < 1 || settings.filterbanks > kMostFilters)) {
    return bad_flag("flags.filterbanks", "1 to 4096");
  }
  if (has_filters && !(settings.mel_floor > 0)) return bad_flag("flags.melfloor", "above 0");
  if (settings.kind == SpeechFeatureKind::mfcc &&
      (settings.coefficients < 1 || settings.coefficients > settings.filterbanks)) {
    return bad_flag("flags.mfcccoeffs", "1 to as many as there are filterbanks");
  }
  while (features.fft_size_ < features.frame_size_) features.fft_size_ *= 2;
  features.make_window();
  if (has_filters) features.make_filters();
  if (settings.kind == SpeechFeatureKind::mfcc) features.make_cosines();
  return features;
}

void SpeechFeatures::make_window() {
  window_.resize(frame_size_);
  for (size_t i = 0; i < frame_size_; ++i) {
    const double turn = static_cast<double>(i) / static_cast<double>(frame_size_ - 1);
    window_[i] = 0.54 - 0.46 * std::cos(2 * std::numbers::pi * turn);
  }
  twiddles_.resize(fft_size_);
  for (size_t k = 0; k < fft_size_ / 2; ++k) {
    const double angle =
        2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(fft_size_);
    twiddles_[2 * k] = std::cos(angle);
    twiddles_[2 * k + 1] = std::sin(angle);
  }
}

/// Triangles between points that lie equally spaced in mel, linear in bins.
void SpeechFeatures::make_filters() {
  const double step = mel_of(settings_.sample_rate / 2) / (settings_.filterbanks + 1);
  const auto point = [&](uint32_t index) {
    return hertz_of(step * index) * static_cast<double>(fft_size_) / settings_.sample_rate;
  };
  for (uint32_t i = 0; i < settings_.filterbanks; ++i) {
    const double low = point(i);
    const double centre = point(i + 1);
    const double high = point(i + 2);
    Filter filter;
    filter.first_bin = static_cast<size_t>(std::floor(low)) + 1;
    for (size_t bin = filter.first_bin; bin < bin_count() && static_cast<double>(bin) < high;
         ++bin) {
      const auto at = static_cast<double>(bin);
      filter.weights.push_back(
          std::max(0.0, std::min((at - low) / (centre - low), (high - at) / (high - centre))));
    }
    filters_.push_back(std::move(filter));
  }
}

void SpeechFeatures::make_cosines() {
  for (uint32_t c = 0; c < settings_.coefficients; ++c) {
    const double lift = 1 + kLifter / 2 * std::sin(std::numbers::pi * c / kLifter);
    for (uint32_t i = 0; i < settings_.filterbanks; ++i) {
      cosines_.push_back(lift * std::sqrt(2.0 / settings_.filterbanks) *
                         std::cos(std::numbers::pi * c * (i + 0.5) / settings_.filterbanks));
    }
  }
}

size_t SpeechFeatures::own_count() const {
  switch (settings_.kind) {
    case SpeechFeatureKind::mfsc: return settings_.filterbanks;
    case SpeechFeatureKind::mfcc: return settings_.coefficients;
    case SpeechFeatureKind::pow: return bin_count();
    case SpeechFeatureKind::raw: break;
  }
  return 1;
}

size_t SpeechFeatures::delta_window() const {
  const bool has_deltas =
      settings_.kind == SpeechFeatureKind::mfsc || settings_.kind == SpeechFeatureKind::mfcc;
  return has_deltas ? settings_.delta_window : 0;
}

uint32_t SpeechFeatures::feature_count() const {
  if (settings_.kind == SpeechFeatureKind::raw) return settings_.channel_count;
  return static_cast<uint32_t>(all_count());
}

uint64_t SpeechFeatures::frame_cost() const {
  uint64_t cost = 4 * fft_size_ * static_cast<uint64_t>(std::bit_width(fft_size_));
  for (const Filter& filter : filters_) cost += filter.weights.size();
  return cost + cosines_.size();
}

void SpeechFeatures::compute(const float* samples, SpeechFrameScratch& scratch,
                             std::span<float> own) const {
  if (settings_.kind == SpeechFeatureKind::raw) {
    own[0] = samples[0];
    return;
  }
  scratch.points.resize(2 * fft_size_);
  scratch.bins.resize(bin_count());
  scratch.energies.resize(filters_.size());
  scratch.values.resize(own.size());
  spectrum(samples, scratch.points, scratch.bins);
  reduce(scratch.bins, scratch.energies, scratch.values);
  for (size_t i = 0; i < own.size(); ++i) own[i] = static_cast<float>(scratch.values[i]);
}

void SpeechFeatures::spectrum(const float* frame, std::span<double> work,
                              std::span<double> bins) const {
  std::ranges::fill(work, 0.0);
  for (size_t i = 0; i < frame_size_; ++i) {
    const double before = static_cast<double>(frame[i == 0 ? 0 : i - 1]);
    work[2 * i] =
        kSampleScale * (static_cast<double>(frame[i]) - kPreEmphasis * before) * window_[i];
  }
  transform(work, twiddles_);
  for (size_t k = 0; k < bins.size(); ++k) bins[k] = std::hypot(work[2 * k], work[2 * k + 1]);
}

void SpeechFeatures::reduce(std::span<const double> bins, std::span<double> energies,
                            std::span<double> own) const {
  if (settings_.kind == SpeechFeatureKind::pow) {
    std::ranges::copy(bins, own.begin());
    return;
  }
  const bool is_mfcc = settings_.kind == SpeechFeatureKind::mfcc;
  const std::span<double> logs = is_mfcc ? energies : own;
  for (size_t i = 0; i < filters_.size(); ++i) {
    double energy = 0;
    for (size_t k = 0; k < filters_[i].weights.size(); ++k) {
      energy += filters_[i].weights[k] * bins[filters_[i].first_bin + k];
    }
    logs[i] = std::log(std::max(settings_.mel_floor, energy));
  }
  if (!is_mfcc) return;
  for (size_t c = 0; c < own.size(); ++c) {
    own[c] = 0;
    for (size_t i = 0; i < logs.size(); ++i) own[c] += cosines_[c * logs.size() + i] * logs[i];
  }
}

}  // namespace susurrus
