#pragma once
#include "audio/f32x4.h"

namespace susurrus {

/// Power spectra of four real signals of 400 samples at once, one in each lane; so every butterfly is plain SIMD.
///
/// 400 real samples count as 200 complex ones; 200 = 8 x 25 are coprime, so the prime-factor map needs no twiddles
/// between the two, and 25 = 5 x 5 needs 16.
class Fft400 {
 public:
  static constexpr int kSize = 400;
  static constexpr int kBins = kSize / 2 + 1;

  /// `signal` is [400], HALVED (the caller's window carries the factor exactly); `power` is [201]: |X[k]|^2.
  static void power_spectrum(const F32x4* signal, F32x4* power);
};

}  // namespace susurrus
