#pragma once
#include <cstddef>

#include "audio/f32x4.h"
#include "families/speakers/speaker_networks.h"

namespace susurrus {

/// Scalar product of two vectors of voices.
inline float vector_product(const float* a, const float* b) {
  constexpr size_t kLanes = 4;
  constexpr size_t kSums = 4;
  static_assert(SpeakerNetworks::kVectorSize % (kLanes * kSums) == 0);
  F32x4 sums[kSums] = {};
  for (size_t i = 0; i < SpeakerNetworks::kVectorSize; i += kLanes * kSums) {
    for (size_t k = 0; k < kSums; ++k) {
      sums[k] += load_f32x4(a + i + k * kLanes) * load_f32x4(b + i + k * kLanes);
    }
  }
  const F32x4 sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

}  // namespace susurrus
