#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "audio/mel_filterbank.h"
#include "base/aligned_buffer.h"
#include "base/result.h"
#include "facts/whisper.h"

namespace susurrus {

/// Whisper's log-mel frontend (whisper-sources.md §11): periodic Hann 400, hop 160, centred frames with reflect padding
/// of 200 samples at the ends of the recording, power, filterbank, log10(max(., 1e-10)).
///
/// Works on a range of frames at a time over a recording of `sample_count` samples, after which `zero_count` zeros are
/// imagined; the caller lends just the samples that range needs. So any length runs in bounded memory:
///   1. log_frames() over the whole recording, keeping only the maximum,
///   2. log_frames() again for one window, then normalise() with that maximum.
class LogMel {
 public:
  /// `filterbank` is f32 [n_mels, 201] row-major and is compacted into this object; empty: Slaney's is computed.
  static Result<LogMel> create(uint32_t n_mels, std::span<const float> filterbank);

  uint32_t n_mels() const { return filterbank_.n_mels(); }

  struct SampleRange {
    uint64_t begin = 0;
    uint64_t end = 0;
  };
  /// The samples of the recording (not its zeros) that frames [first, first + count) look at.
  static SampleRange samples_needed(uint64_t first_frame, uint64_t frame_count,
                                    uint64_t sample_count);

  /// log10 mel power of frames [first_frame, first_frame + frame_count), time-major [frame_count, n_mels], not yet
  /// clamped. Each frame's values depend on its samples only, never on the range asked for. `samples` holds samples [samples_begin, samples_begin + size) of the recording and must cover
  /// samples_needed(). Returns the maximum of what it wrote (-10 for no frames).
  float log_frames(std::span<const float> samples, uint64_t samples_begin, uint64_t sample_count,
                   uint64_t zero_count, uint64_t first_frame, uint64_t frame_count,
                   float* out) const;

  /// x = (max(x, maximum - 8) + 4) / 4
  static void normalise(std::span<float> log_mel, float maximum);

 private:
  LogMel() = default;

  MelFilterbank filterbank_;
  AlignedBuffer window_;  // halved, as Fft400 wants it
};

}  // namespace susurrus
