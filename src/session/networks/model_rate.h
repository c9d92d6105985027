#pragma once
#include <optional>
#include <span>

#include "audio/resampler.h"

namespace susurrus {

/// Resamples from the engines' 16 kHz to the model's rate.
class ModelRate {
 public:
  /// Samples at 16 kHz that are converted together.
  static constexpr size_t kMostSamples = 1600;

  static Result<ModelRate> make(uint32_t rate);

  bool is_same() const { return !resampler_; }
  /// At most kMostSamples; good until the next call.
  std::span<const float> push(std::span<const float> samples);
  /// What is still inside; the sound may go on after it, from its beginning.
  Result<std::span<const float>> finish();

 private:
  explicit ModelRate(uint32_t rate) : rate_(rate) {}

  uint32_t rate_;
  std::optional<Resampler> resampler_;
  AlignedBuffer output_;
};

}  // namespace susurrus
