#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "audio/log_mel.h"
#include "base/aligned_buffer.h"
#include "base/result.h"

namespace susurrus {

/// The log-mel of an utterance while its sound comes. Each frame is computed once, as soon as the samples that it looks at are
/// there. The utterance counts as a recording of its own: frame k is centred on its sample 160 k.
class LiveMel {
 public:
  /// Room for `most_frames`; `log_mel` must outlive it. out_of_memory as an error.
  static Result<LiveMel> create(const LogMel& log_mel, size_t most_frames);

  /// A new utterance.
  void begin();
  /// Samples that find room.
  size_t room() const;
  /// At most room(), and none after finish().
  void push(std::span<const float> samples);
  /// The utterance ends here: its last frames are completed with silence.
  void finish();

  /// Frames that are computed and not dropped, oldest first.
  size_t frame_count() const { return frame_count_; }
  /// Those that were dropped: what frame_count() counts begins there.
  uint64_t first_frame() const { return first_frame_; }
  /// Drops the oldest frames.
  void drop(size_t count);

  /// Those of frame_count(), as LogMel::log_frames() makes them, time-major.
  std::span<const float> frames() const {
    return frames_.floats().first(frame_count_ * log_mel_->n_mels());
  }
  /// The first `count` frames, normalised by their own maximum, time-major [count, n_mels]; what is left of `window` is 0.0.
  void copy_to(std::span<float> window, size_t count) const;

  uint64_t byte_count() const { return frames_.byte_count() + samples_.capacity() * sizeof(float); }

 private:
  explicit LiveMel(const LogMel& log_mel) : log_mel_(&log_mel) {}
  /// Up to frame `end` of the utterance, of `sample_count` samples in all.
  void compute(uint64_t end, uint64_t sample_count);

  const LogMel* log_mel_;
  size_t most_frames_ = 0;
  AlignedBuffer frames_;
  size_t frame_count_ = 0;
  uint64_t first_frame_ = 0;
  /// Those that later frames look at; samples_begin_ of the utterance comes first.
  std::vector<float> samples_;
  uint64_t samples_begin_ = 0;
};

}  // namespace susurrus
