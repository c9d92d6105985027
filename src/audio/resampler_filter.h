#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/aligned_buffer.h"
#include "base/result.h"

namespace susurrus {

/// The low-pass between two sample rates: a sinc under a Kaiser window, tabulated at fractions of an input sample.
///
/// To a lower rate the transition ends at half of it (to 16 kHz it lies between 7.1 and 8 kHz), so that nothing folds back; to a
/// higher one it lies around the source's own Nyquist frequency. The stop band lies 85 dB down.
class ResamplerFilter {
 public:
  /// `ratio_up`: target_rate / source_rate in lowest terms, what stands above.
  static Result<ResamplerFilter> create(uint32_t source_rate, uint32_t target_rate,
                                        uint32_t ratio_up);

  /// Inputs that one output depends on, a multiple of 8: from reach() - 1 before the one at or before the output's
  /// place, to reach() after it.
  uint32_t taps() const { return taps_; }
  uint32_t reach() const { return taps_ / 2; }
  /// One output, `phase` / ratio_up after inputs[reach() - 1].
  float apply(const float* inputs, uint32_t phase) const;

 private:
  const float* row(uint32_t index) const { return table_.floats().data() + size_t{index} * taps_; }

  uint32_t taps_ = 0;
  uint32_t ratio_up_ = 1;
  /// Rows in one input sample. ratio_up of them when the table of all phases is small enough, else fewer, between
  /// which apply() interpolates.
  uint32_t steps_ = 1;
  AlignedBuffer table_;
};

}  // namespace susurrus
