#pragma once
#include <span>

#include "audio/power_spectrum.h"
#include "container/april/april_model.h"

namespace susurrus {

/// Which release's features (april.md §2.1).
enum class AprilFrontEnd : uint8_t {
  /// As the published models were trained: the mean removed, pre-emphasis.
  standard,
  /// As the package april-asr 0.0.4 does: neither.
  april_asr_0_0_4,
};

/// Log-mel energies of a stream of samples, frame by frame: frame k looks at samples [k·shift, k·shift + length), and exists as
/// soon as its last sample does. Allocates only when it is made.
class FilterbankFrontend {
 public:
  /// The most samples of one piece.
  static constexpr size_t kPieceSamples = 3200;
  /// ln(2^-23): what a band without energy has.
  static constexpr float kSilence = static_cast<float>(-23 * 0.69314718055994531);

  FilterbankFrontend() = default;
  /// `params` are as check_april_params() lets them through. out_of_memory.
  static Result<FilterbankFrontend> make(const AprilParams& params, AprilFrontEnd front_end);

  uint32_t band_count() const { return band_count_; }
  /// In samples.
  uint32_t frame_length() const { return spectrum_.size(); }
  uint32_t frame_shift() const { return shift_; }

  /// Takes a piece of at most kPieceSamples, -1 … 1. Then frames are taken until there is none; then the piece is ended, or dropped
  /// as if it had not come.
  void begin_piece(std::span<const float> samples);
  /// Writes [band_count]; false when the next frame is not complete.
  bool next_frame(std::span<float> bands);
  void end_piece();
  void drop_piece();

 private:
  struct Band {
    uint32_t first_bin;
    uint32_t bin_count;
    uint32_t first_weight;
  };
  Status make_bands(const AprilParams& params);

  AprilFrontEnd front_end_ = AprilFrontEnd::standard;
  uint32_t band_count_ = 0;
  uint32_t shift_ = 0;
  PowerSpectrum spectrum_;
  AlignedBuffer window_;   // f64 [length]
  AlignedBuffer frame_;    // f64 [length]
  AlignedBuffer power_;    // f64 [length / 2]
  AlignedBuffer bands_;    // Band [band_count]
  AlignedBuffer weights_;  // f64
  AlignedBuffer
      samples_;  // f32 [length + kPieceSamples]: what is left of earlier pieces, then the current one
  size_t left_over_ = 0;
  size_t sample_count_ = 0;
  size_t position_ = 0;
};

}  // namespace susurrus
