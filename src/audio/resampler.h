#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "audio/resampler_filter.h"
#include "base/aligned_buffer.h"
#include "base/result.h"
#include "facts/whisper.h"

namespace susurrus {

/// Any rate from 1 kHz to 768 kHz to 16 kHz, in pieces. Output n stands for the time n / 16000 exactly, whatever the
/// ratio, and there are ceil(inputs * 16000 / rate) of them. 16 kHz passes through unchanged.
class Resampler {
 public:
  /// `target_rate`: instead of 16 kHz.
  static Result<Resampler> create(uint32_t source_rate, uint32_t target_rate = kSampleRate);

  /// At most how many samples push() of `input_count` samples, or finish() (0), writes.
  size_t output_bound(size_t input_count) const;

  /// Both write to `out`, which has room for output_bound(), and return how many samples they wrote.
  size_t push(std::span<const float> input, float* out);
  size_t finish(float* out);

 private:
  bool passes_through() const { return up_ == down_; }
  size_t produce(float* out);

  uint32_t up_ = 1;  // 16000 / rate in lowest terms
  uint32_t down_ = 1;
  ResamplerFilter filter_;
  /// The latest inputs. The next output's first one stands at next_.
  AlignedBuffer history_;
  size_t filled_ = 0;
  size_t next_ = 0;
  uint32_t phase_ = 0;  // of the next output, in 1 / up_ of an input
  uint64_t inputs_ = 0;
  uint64_t outputs_ = 0;
};

}  // namespace susurrus
