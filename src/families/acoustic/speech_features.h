#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"

namespace susurrus {

enum class SpeechFeatureKind : uint8_t { raw, mfsc, mfcc, pow };

/// What acoustic models are given for each frame (bw2l.md §2.3).
struct SpeechFeatureSettings {
  SpeechFeatureKind kind = SpeechFeatureKind::raw;
  double sample_rate = 16000;
  double frame_size_ms = 25;
  double frame_stride_ms = 10;
  uint32_t channel_count = 1;
  uint32_t filterbanks = 40;
  uint32_t coefficients = 13;
  double mel_floor = 1;
  /// Frames on each side of a delta; 0: no deltas.
  uint32_t delta_window = 0;
  /// Frames around the one that is normalised; both 0: the whole recording.
  uint32_t left_context = 0;
  uint32_t right_context = 0;
};

/// Memory for the work on a frame.
struct SpeechFrameScratch {
  std::vector<double> points;
  std::vector<double> bins;
  std::vector<double> energies;
  std::vector<double> values;
};

/// Computes the features of single frames, in double. Deltas and normalization are FeatureStream's.
class SpeechFeatures {
 public:
  /// malformed, naming the flag: sizes that make no frame, or more filters, channels or coefficients than there can be.
  static Result<SpeechFeatures> make(const SpeechFeatureSettings& settings);

  const SpeechFeatureSettings& settings() const { return settings_; }
  /// What NFEAT stands for: of each frame and channel, with deltas; of raw samples the number of channels.
  uint32_t feature_count() const;
  /// Values of one frame and channel, without deltas and with them.
  size_t own_count() const;
  size_t all_count() const { return own_count() * (delta_window() > 0 ? 3 : 1); }
  /// Samples of a frame, and from one frame to the next.
  size_t frame_size() const { return frame_size_; }
  size_t hop() const { return hop_; }
  /// Frames on each side of a delta; 0: there are none.
  size_t delta_window() const;
  /// Normalised around each frame, not over the whole recording.
  bool is_local() const { return settings_.left_context > 0 || settings_.right_context > 0; }
  /// In multiplications, for each channel.
  uint64_t frame_cost() const;

  /// Takes frame_size() samples of a channel, from -1 to 1; `own` receives own_count() values.
  void compute(const float* samples, SpeechFrameScratch& scratch, std::span<float> own) const;

 private:
  struct Filter {
    size_t first_bin = 0;
    std::vector<double> weights;
  };

  size_t bin_count() const { return fft_size_ / 2 + 1; }
  void make_window();
  void make_filters();
  void make_cosines();
  /// Magnitudes of one frame into `bins`; `work` has room for twice the points.
  void spectrum(const float* frame, std::span<double> work, std::span<double> bins) const;
  /// What a frame's magnitudes become; `energies` has room for the filters.
  void reduce(std::span<const double> bins, std::span<double> energies,
              std::span<double> own) const;

  SpeechFeatureSettings settings_;
  size_t frame_size_ = 1;
  size_t hop_ = 1;
  size_t fft_size_ = 1;
  std::vector<double> window_;
  std::vector<double> twiddles_;  // cosine, sine of each point of half the circle
  std::vector<Filter> filters_;
  std::vector<double> cosines_;  // [coefficients][filterbanks], lifted
};

}  // namespace susurrus
