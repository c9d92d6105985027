#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "audio/log_mel.h"
#include "base/aligned_buffer.h"
#include "base/result.h"

namespace susurrus {

/// The log-mel of an utterance while its sound comes. Each frame is computed once, as soon as the samples that it looks at are
/// there. The utterance counts as a recording of its own: frame k is centred on its sample 160 k. Its context, the end of the
/// utterance before, may stand in front of it.
class LiveMel {
 public:
  /// Room for `most_frames`; `log_mel` must outlive it. out_of_memory as an error.
  static Result<LiveMel> create(const LogMel& log_mel, size_t most_frames);

  /// A new utterance; the last `context_frames` of those that are there stay as its context.
  void begin(size_t context_frames = 0);
  /// Samples that find room.
  size_t room() const;
  /// At most room(), and none after finish().
  void push(std::span<const float> samples);
  /// The utterance ends here: its last frames are completed with silence.
  void finish();

  /// Frames that are computed and not dropped, oldest first, with the context.
  size_t frame_count() const { return frame_count_; }
  size_t context_frames() const { return context_frames_; }
  /// Those of the utterance that were dropped: what follows the context begins there.
  uint64_t first_frame() const { return first_frame_; }
  /// Frames of the utterance by now, with dropped ones and without the context.
  uint64_t utterance_frames() const { return first_frame_ + (frame_count_ - context_frames_); }
  /// Drops the oldest frames.
  void drop(size_t count);

  /// Those of frame_count(), as LogMel::log_frames() makes them, time-major.
  std::span<const float> frames() const {
    return frames_.floats().first(frame_count_ * log_mel_->n_mels());
  }
  /// The frames from `first` on, normalised by their own maximum, time-major [frames, n_mels]; what is left of `window` is 0.0.
  void copy_to(std::span<float> window, size_t first) const;

  uint64_t byte_count() const { return frames_.byte_count() + samples_.capacity() * sizeof(float); }

 private:
  explicit LiveMel(const LogMel& log_mel) : log_mel_(&log_mel) {}
  /// Up to frame `end` of the utterance, of `sample_count` samples in all.
  void compute(uint64_t end, uint64_t sample_count);

  const LogMel* log_mel_;
  size_t most_frames_ = 0;
  AlignedBuffer frames_;
  size_t frame_count_ = 0;
  size_t context_frames_ = 0;
  uint64_t first_frame_ = 0;
  /// Those that later frames look at; samples_begin_ of the utterance comes first.
  std::vector<float> samples_;
  uint64_t samples_begin_ = 0;
};

}  // namespace susurrus
