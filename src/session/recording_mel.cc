#include "session/recording_mel.h"

#include <algorithm>

namespace susurrus {
namespace {

/// log10 of nothing, the smallest value a mel bin can have.
constexpr float kSilence = -10.0f;
/// Longer than any recording, and far enough from the end of 64 bits to be added to.
constexpr uint64_t kEndlessSamples = uint64_t{1} << 62;

}  // namespace

RecordingMel::RecordingMel(WhisperModel& model, std::optional<uint64_t> sample_count,
                           Normalization normalization, uint64_t loudness_samples, bool is_rising)
    : model_(model),
      normalization_(normalization),
      window_frames_(model.window_frames()),
      loudness_samples_(loudness_samples),
      is_rising_(is_rising),
      maximum_(kSilence),
      quiet_frames_(model.dimensions().n_mels, static_cast<size_t>(window_frames_)) {
  begin_stream(0);
  if (sample_count) end_audio(*sample_count);
  if (normalization == Normalization::window) return;
  if (loudness_samples > 0) end_audio(loudness_samples);
  // Frames whose 400 samples all lie in the zeros cannot be louder than silence.
  const uint64_t reach = (sample_count_ + kFftSize / 2) / kHopSamples + 1;
  scan_end_ = std::min(reach, content_frames_ + window_frames_);
}

void RecordingMel::begin_stream(uint64_t origin) {
  origin_ = origin;
  sample_count_ = kEndlessSamples;
  content_frames_ = kUnknownFrames;
}

void RecordingMel::end_audio(uint64_t sample_count) {
  sample_count_ = sample_count - origin_;
  content_frames_ = sample_count_ / kHopSamples;
  is_waiting_ = false;
}

std::span<float> RecordingMel::samples() {
  return model_.sample_window().first(static_cast<size_t>(request_.end - request_.begin));
}

RecordingMel::Progress RecordingMel::scan() {
  if (scanned_ == scan_end_) return Progress::done;
  const uint64_t count = std::min(window_frames_, scan_end_ - scanned_);
  if (!has_samples(scanned_, count)) return Progress::need_audio;
  maximum_ = std::max(maximum_, log_frames(scanned_, count));
  quiet_frames_.count(scanned_, own_frames(scanned_, count));
  scanned_ += count;
  if (scanned_ < scan_end_) return Progress::working;
  if (loudness_samples_ > 0) begin_stream(loudness_samples_);
  return Progress::done;
}

RecordingMel::Progress RecordingMel::fill_window(uint64_t first, uint64_t count) {
  if (!has_samples(first, count)) return Progress::need_audio;
  const float maximum = log_frames(first, count);
  quiet_frames_.set_window(first, own_frames(first, count));
  std::span<float> mel = model_.mel_window();
  const size_t filled = static_cast<size_t>(count) * model_.dimensions().n_mels;
  if (normalization_ == Normalization::window)
    maximum_ = is_rising_ ? std::max(maximum_, maximum) : maximum;
  LogMel::normalise(mel.first(filled), maximum_);
  std::fill(mel.begin() + static_cast<ptrdiff_t>(filled), mel.end(), 0.0f);
  return Progress::done;
}

bool RecordingMel::has_samples(uint64_t first, uint64_t count) {
  if (is_waiting_) {
    is_waiting_ = false;
    return true;
  }
  LogMel::SampleRange range = LogMel::samples_needed(first, count, sample_count_);
  request_ = {range.begin, std::max(range.begin, range.end)};
  is_waiting_ = request_.end > request_.begin;
  return !is_waiting_;
}

float RecordingMel::log_frames(uint64_t first, uint64_t count) {
  return model_.log_mel().log_frames(samples(), request_.begin, sample_count_,
                                     window_frames_ * kHopSamples, first, count,
                                     model_.mel_window().data());
}

std::span<const float> RecordingMel::own_frames(uint64_t first, uint64_t count) const {
  const uint64_t own = first < content_frames_ ? std::min(count, content_frames_ - first) : 0;
  return model_.mel_window().first(static_cast<size_t>(own) * model_.dimensions().n_mels);
}

}  // namespace susurrus
