#include "session/live/live_mel.h"

#include <algorithm>
#include <cstring>

namespace susurrus {
namespace {

/// Longer than any utterance, and far enough from the end of 64 bits to be added to.
constexpr uint64_t kEndless = uint64_t{1} << 62;
/// A frame looks at half of its 400 samples before and after its centre.
constexpr uint64_t kReach = kFftSize / 2;
/// After the end, as after that of a recording.
constexpr uint64_t kZeros = uint64_t{kHopSamples} * 3000;

}  // namespace

Result<LiveMel> LiveMel::create(const LogMel& log_mel, size_t most_frames) {
  LiveMel mel(log_mel);
  mel.most_frames_ = most_frames;
  SUSURRUS_ASSIGN_OR_RETURN(
      mel.frames_, AlignedBuffer::allocate(uint64_t{most_frames} * log_mel.n_mels() * sizeof(float),
                                           "log-mel of a stream"));
  return mel;
}

void LiveMel::begin(size_t context_frames) {
  drop(frame_count_ - context_frames);
  context_frames_ = context_frames;
  first_frame_ = 0;
  samples_.clear();
  samples_begin_ = 0;
}

size_t LiveMel::room() const {
  // The last frame's samples, without those that would make one more.
  const uint64_t most = (first_frame_ + most_frames_ - context_frames_) * kHopSamples;
  const uint64_t have = samples_begin_ + samples_.size();
  return have < most ? static_cast<size_t>(most - have) : 0;
}

void LiveMel::push(std::span<const float> samples) {
  samples_.insert(samples_.end(), samples.begin(), samples.end());
  const uint64_t have = samples_begin_ + samples_.size();
  // Frame 0 mirrors one sample more than it covers.
  if (have <= kReach) return;
  compute((have - kReach - 1) / kHopSamples + 1, kEndless);
}

void LiveMel::finish() {
  const uint64_t have = samples_begin_ + samples_.size();
  compute(have / kHopSamples, have);
}

void LiveMel::compute(uint64_t end, uint64_t sample_count) {
  const uint64_t begin = utterance_frames();
  end = std::min(end, first_frame_ + most_frames_ - context_frames_);
  if (end <= begin) return;
  const size_t n_mels = log_mel_->n_mels();
  log_mel_->log_frames(samples_, samples_begin_, sample_count, kZeros, begin, end - begin,
                       frames_.floats().data() + frame_count_ * n_mels);
  frame_count_ += static_cast<size_t>(end - begin);
  const uint64_t wanted = end * kHopSamples > kReach ? end * kHopSamples - kReach : 0;
  const uint64_t done =
      std::min<uint64_t>(wanted - std::min(wanted, samples_begin_), samples_.size());
  samples_.erase(samples_.begin(), samples_.begin() + static_cast<ptrdiff_t>(done));
  samples_begin_ += done;
}

void LiveMel::drop(size_t count) {
  SUSURRUS_CHECK(count <= frame_count_);
  const size_t n_mels = log_mel_->n_mels();
  float* frames = frames_.floats().data();
  frame_count_ -= count;
  const size_t context = std::min(count, context_frames_);
  context_frames_ -= context;
  first_frame_ += count - context;
  std::memmove(frames, frames + count * n_mels, frame_count_ * n_mels * sizeof(float));
}

void LiveMel::copy_to(std::span<float> window, size_t first) const {
  const std::span<const float> frames = this->frames().subspan(first * log_mel_->n_mels());
  const size_t filled = frames.size();
  float maximum = -10;
  for (float value : frames) maximum = std::max(maximum, value);
  std::ranges::copy(frames, window.begin());
  LogMel::normalise(window.first(filled), maximum);
  std::fill(window.begin() + static_cast<ptrdiff_t>(filled), window.end(), 0.0f);
}

}  // namespace susurrus
