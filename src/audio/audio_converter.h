#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "audio/channel_mix.h"
#include "audio/resampler.h"
#include "audio/wav_reader.h"
#include "base/aligned_buffer.h"
#include "base/bytes.h"
#include "base/result.h"

namespace susurrus {

/// What was wrong with audio that could be read all the same.
struct AudioWarnings {
  /// The file ended before its data did, or within a frame.
  bool truncated = false;
  /// Samples that were not numbers (now 0) or infinite (now full scale).
  uint64_t non_finite_samples = 0;
  /// 16 kHz samples beyond full scale, clipped; of WAV files only.
  uint64_t clipped_samples = 0;
};

/// Turns audio of any rate and channels, as samples or as a WAV file, into 16 kHz mono, in pieces of any size:
///
///   push..., drain output() with consume(), ..., finish(), drain.
///
/// Memory is the resampler's tables (at most 0.6 MB) and what was put in since the last drain: a push of n frames
/// adds at most (n + 4608) * 16000 / rate + 2 samples of output. After an error only more errors follow.
class AudioConverter {
 public:
  static Result<AudioConverter> from_samples(uint32_t sample_rate, uint32_t channels);
  static AudioConverter from_wav();

  AudioConverter(AudioConverter&&) noexcept = default;
  AudioConverter& operator=(AudioConverter&&) noexcept = default;

  /// After from_wav(): the file's next bytes. Samples are clipped to [-1, 1], as the reference's 16 bits are.
  Status push_bytes(ByteSpan bytes);
  /// After from_samples(): interleaved samples; a piece may end within a frame. They are never clipped.
  Status push_samples(std::span<const float> interleaved);
  /// The audio ends here. For a WAV file an error if its header did not.
  Status finish();

  /// 16 kHz mono not consumed yet, valid until the next call that is not const.
  std::span<const float> output() const;
  void consume(size_t sample_count);

  /// The source's rate; 0 until a WAV file's header has been read.
  uint32_t sample_rate() const { return sample_rate_; }
  uint32_t channels() const { return channels_; }
  /// Whole frames put in and samples got out, consumed ones included.
  uint64_t frames_in() const { return frames_in_; }
  uint64_t output_samples() const { return output_samples_; }
  const AudioWarnings& warnings() const { return warnings_; }

 private:
  enum class State : uint8_t { open, finished, failed };

  AudioConverter() = default;
  Status start(uint32_t sample_rate, uint32_t channels, uint32_t channel_mask);
  Status check_open(bool wants_bytes) const;
  Status take_bytes(ByteSpan bytes);
  Status take_samples(std::span<float> interleaved);
  Status finish_parts();
  Status reserve(size_t sample_count);
  void accept_output(size_t sample_count);
  Status remember(Status status);

  std::optional<WavReader> wav_;
  ChannelMix mix_;
  std::optional<Resampler> resampler_;
  State state_ = State::open;
  uint32_t sample_rate_ = 0;
  uint32_t channels_ = 0;
  uint64_t frames_in_ = 0;
  uint64_t output_samples_ = 0;
  AudioWarnings warnings_;
  AlignedBuffer output_;
  size_t output_begin_ = 0;
  size_t output_end_ = 0;
};

}  // namespace susurrus
