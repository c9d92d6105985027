#pragma once
#include "families/acoustic/feature_normalization.h"
#include "families/acoustic/float_queue.h"
#include "families/acoustic/speech_features.h"

namespace susurrus {

/// The features of one recording: samples in pieces of any size, normalised frames out. What no later frame needs can be dropped.
class FeatureStream {
 public:
  /// The features must outlive it.
  explicit FeatureStream(const SpeechFeatures& features)
      : features_(&features), pending_(features.settings().channel_count) {}

  /// Takes all of `samples`, [channels][samples].
  void feed(std::span<const float> samples);
  /// No sample follows.
  void finish() { is_finished_ = true; }
  bool is_finished() const { return is_finished_; }
  /// Work of about `cost` multiplications on samples that wait, and at the end on the recording's statistics; true when all is done.
  bool step(uint64_t cost);

  /// Frames so far.
  size_t frame_count() const { return first_row_ + row_count(); }
  /// Frames whose final values are known.
  size_t ready_count() const;
  /// The values of frames [first, last), which are ready and not dropped: FeatureMatrix's layout. Before normalization, for tests:
  /// plain().
  void normalised(size_t first, size_t last, std::vector<float>& values);
  void plain(size_t first, size_t last, std::vector<float>& values);
  /// Frames before `frame` are not asked for any more.
  void drop_before(size_t frame);
  uint64_t byte_count() const;

 private:
  size_t row_size() const { return pending_.size() * features_->own_count(); }
  size_t row_count() const { return rows_.size() / row_size(); }
  /// Writes frames [first, last) with deltas into `matrix_`, with the neighbouring frames that
  /// deltas and normalization need.
  void assemble(size_t first, size_t last);
  void copy(size_t first, size_t last, std::vector<float>& values) const;
  /// Frames that deltas or normalization need beside a frame.
  size_t left_margin() const;
  size_t right_margin() const;

  const SpeechFeatures* features_;
  /// For each channel: samples from the next frame's first one on, once skipped_ samples have
  /// arrived.
  std::vector<FloatQueue> pending_;
  size_t skipped_ = 0;
  /// Frames without deltas: [frames][channels][own].
  FloatQueue rows_;
  size_t first_row_ = 0;
  bool is_finished_ = false;
  /// Statistics over the whole recording: its first measured_ frames so far.
  FeatureMoments moments_;
  size_t measured_ = 0;
  // Work space.
  SpeechFrameScratch scratch_;
  FeatureMatrix matrix_;
  size_t matrix_first_ = 0;
  std::vector<FeatureMoments> of_frames_;
};

}  // namespace susurrus
