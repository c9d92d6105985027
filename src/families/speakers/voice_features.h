#pragma once
#include <span>

#include "audio/power_spectrum.h"
#include "families/speakers/speaker_networks.h"

namespace susurrus {

/// Kaldi's log-mel energies of single frames: frame f sees samples [160 f, 160 f + 400). Allocates only when it is made.
class VoiceFeatures {
 public:
  static constexpr uint64_t kLength = 400;
  static constexpr uint64_t kShift = 160;

  static Result<VoiceFeatures> make();

  /// Those that lie within a recording of so many samples.
  static constexpr uint64_t frame_count(uint64_t samples) {
    return samples < kLength ? 0 : 1 + (samples - kLength) / kShift;
  }

  /// Samples from -1 to 1, which count as numbers of 16 bits: so the floor is never reached, however quiet a recording is.
  void frame(std::span<const float, kLength> samples,
             std::span<float, SpeakerNetworks::kMelBins> features);

 private:
  struct Triangle {
    uint32_t first_bin;
    uint32_t bin_count;
    uint32_t first_weight;
  };

  PowerSpectrum spectrum_;
  AlignedBuffer window_;     // f64 [kLength]
  AlignedBuffer signal_;     // f64 [512], zeros behind kLength
  AlignedBuffer power_;      // f64 [256]
  AlignedBuffer triangles_;  // Triangle [kMelBins]
  AlignedBuffer weights_;    // f64
};

}  // namespace susurrus
