#pragma once
#include <cstdint>
#include <span>

#include "audio/f32x4.h"
#include "base/aligned_buffer.h"
#include "base/result.h"

namespace susurrus {

/// The origin of a filterbank's triangles.
enum class FilterbankKind : uint8_t { whisper, htk, other };

/// A [n_mels, 201] matrix of mostly zeros, each row kept from its first to its last weight that is not zero.
class MelFilterbank {
 public:
  static constexpr uint32_t kMaxMels = 1024;

  MelFilterbank() = default;
  /// `dense` is row-major [n_mels, 201]; weights are finite and not negative, any pattern will do.
  static Result<MelFilterbank> compact(uint32_t n_mels, std::span<const float> dense);

  /// Slaney's triangles for 16 kHz and 400 points, area-normalised, 0 to 8000 Hz, equal to the bit to those of the
  /// reference. `dense` is [n_mels, 201], n_mels at least 1.
  static void slaney(uint32_t n_mels, std::span<float> dense);

  /// slaney() with HTK's mel scale.
  static void htk(uint32_t n_mels, std::span<float> dense);

  /// Which of the two `dense` is, but for 1e-4.
  static FilterbankKind kind(uint32_t n_mels, std::span<const float> dense);

  uint32_t n_mels() const { return n_mels_; }
  /// Row `mel` times the power of four frames.
  F32x4 apply(uint32_t mel, const F32x4* power) const;

 private:
  struct Row {
    uint32_t first_bin;
    uint32_t bin_count;
    uint32_t first_weight;
  };
  const Row* rows() const { return reinterpret_cast<const Row*>(rows_.data()); }

  uint32_t n_mels_ = 0;
  AlignedBuffer rows_;
  AlignedBuffer weights_;
};

}  // namespace susurrus
