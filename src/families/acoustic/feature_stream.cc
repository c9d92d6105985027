#include "families/acoustic/feature_stream.h"

#include <algorithm>

namespace susurrus {
namespace {

/// Frames that are measured at a time, at the end of a recording.
constexpr size_t kMeasuredFrames = 256;

size_t before(size_t frame, size_t count) { return frame - std::min(frame, count); }

}  // namespace

void FeatureStream::feed(std::span<const float> samples) {
  const size_t count = samples.size() / pending_.size();
  const size_t skipped = std::min(skipped_, count);
  skipped_ -= skipped;
  for (size_t channel = 0; channel < pending_.size(); ++channel) {
    pending_[channel].append(samples.subspan(channel * count, count).subspan(skipped));
  }
}

bool FeatureStream::step(uint64_t cost) {
  const size_t own = features_->own_count();
  const size_t hop = features_->hop();
  const uint64_t frame_cost = pending_.size() * features_->frame_cost();
  const size_t waiting = pending_[0].size();
  const size_t size = features_->frame_size();
  const size_t frames = waiting < size ? 0 : 1 + (waiting - size) / hop;
  // Counted in 64 bits: a cost without limit must not become no frame at all.
  const auto count = static_cast<size_t>(std::min<uint64_t>(frames, 1 + cost / frame_cost));
  std::span<float> to = rows_.extend(count * row_size());
  for (size_t i = 0; i < count; ++i) {
    for (const FloatQueue& samples : pending_) {
      features_->compute(samples.data() + i * hop, scratch_, to.first(own));
      to = to.subspan(own);
    }
  }
  const size_t used = std::min(count * hop, waiting);
  skipped_ += count * hop - used;
  for (FloatQueue& samples : pending_) samples.drop(used);
  if (count < frames) return false;
  if (!is_finished_ || features_->is_local() || measured_ == frame_count()) return true;
  const size_t last = std::min(frame_count(), measured_ + kMeasuredFrames);
  assemble(measured_, last);
  for (; measured_ < last; ++measured_)
    moments_.add(moments_of(matrix_, measured_ - matrix_first_));
  return measured_ == frame_count();
}

size_t FeatureStream::left_margin() const {
  return features_->settings().left_context + 2 * features_->delta_window();
}

size_t FeatureStream::right_margin() const {
  return features_->settings().right_context + 2 * features_->delta_window();
}

size_t FeatureStream::ready_count() const {
  if (!features_->is_local()) return is_finished_ && measured_ == frame_count() ? measured_ : 0;
  return is_finished_ ? frame_count() : before(frame_count(), right_margin());
}

void FeatureStream::assemble(size_t first, size_t last) {
  matrix_first_ = std::max(first_row_, before(first, left_margin()));
  const size_t end = std::min(frame_count(), last + right_margin());
  const size_t frames = end - matrix_first_;
  const size_t own = features_->own_count();
  const size_t all = features_->all_count();
  matrix_.frame_count = frames;
  matrix_.values.resize(pending_.size() * all * frames);
  // The recording is too short for a frame.
  if (frames == 0) return;
  const float* from = rows_.data() + (matrix_first_ - first_row_) * row_size();
  for (size_t channel = 0; channel < pending_.size(); ++channel) {
    float* to = matrix_.values.data() + channel * all * frames;
    for (size_t i = 0; i < own; ++i) {
      const float* value = from + channel * own + i;
      for (size_t t = 0; t < frames; ++t, value += row_size()) to[i * frames + t] = *value;
    }
    if (all == own) continue;
    const size_t part = own * frames;
    add_deltas(to, to + part, own, frames, features_->delta_window());
    add_deltas(to + part, to + 2 * part, own, frames, features_->delta_window());
  }
}

void FeatureStream::copy(size_t first, size_t last, std::vector<float>& values) const {
  const size_t count = last - first;
  const size_t rows = matrix_.row_count();
  values.resize(rows * count);
  for (size_t row = 0; row < rows; ++row) {
    const float* from = matrix_.values.data() + row * matrix_.frame_count + first - matrix_first_;
    std::copy_n(from, count, values.data() + row * count);
  }
}

void FeatureStream::plain(size_t first, size_t last, std::vector<float>& values) {
  assemble(first, last);
  copy(first, last, values);
}

void FeatureStream::normalised(size_t first, size_t last, std::vector<float>& values) {
  assemble(first, last);
  const size_t begin = first - matrix_first_;
  const size_t end = last - matrix_first_;
  if (!features_->is_local()) {
    for (size_t t = begin; t < end; ++t) normalise_frame(matrix_, t, moments_);
    copy(first, last, values);
    return;
  }
  of_frames_.resize(matrix_.frame_count);
  for (size_t t = 0; t < matrix_.frame_count; ++t) of_frames_[t] = moments_of(matrix_, t);
  const SpeechFeatureSettings& settings = features_->settings();
  for (size_t t = begin; t < end; ++t) {
    FeatureMoments around;
    const size_t stop = std::min(matrix_.frame_count, t + settings.right_context + 1);
    for (size_t i = before(t, settings.left_context); i < stop; ++i) around.add(of_frames_[i]);
    normalise_frame(matrix_, t, around);
  }
  copy(first, last, values);
}

void FeatureStream::drop_before(size_t frame) {
  const size_t keep = std::clamp(before(frame, left_margin()), first_row_, frame_count());
  rows_.drop((keep - first_row_) * row_size());
  first_row_ = keep;
}

uint64_t FeatureStream::byte_count() const {
  uint64_t count = rows_.byte_count() + matrix_.values.capacity() * sizeof(float) +
                   of_frames_.capacity() * sizeof(FeatureMoments);
  for (const FloatQueue& samples : pending_) count += samples.byte_count();
  return count;
}

}  // namespace susurrus
