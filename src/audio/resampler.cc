#include "audio/resampler.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace susurrus {
namespace {

constexpr size_t kBlockInputs = 4096;

}  // namespace

Result<Resampler> Resampler::create(uint32_t source_rate, uint32_t target_rate) {
  Resampler resampler;
  const uint32_t divisor = std::gcd(target_rate, source_rate);
  resampler.up_ = target_rate / divisor;
  resampler.down_ = source_rate / divisor;
  if (resampler.passes_through()) return resampler;
  SUSURRUS_ASSIGN_OR_RETURN(resampler.filter_,
                            ResamplerFilter::create(source_rate, target_rate, resampler.up_));
  const uint64_t history = uint64_t{resampler.filter_.taps()} + kBlockInputs;
  SUSURRUS_ASSIGN_OR_RETURN(resampler.history_,
                            AlignedBuffer::allocate(history * sizeof(float), "resampler"));
  // Before the first input there is silence.
  resampler.filled_ = resampler.filter_.reach() - 1;
  std::fill_n(resampler.history_.floats().data(), resampler.filled_, 0.0f);
  return resampler;
}

size_t Resampler::output_bound(size_t input_count) const {
  if (passes_through()) return input_count;
  const uint64_t inputs = uint64_t{input_count} + filter_.taps();
  return static_cast<size_t>(inputs * up_ / down_ + 2);
}

/// Every output whose inputs are there; then makes room.
size_t Resampler::produce(float* out) {
  float* history = history_.floats().data();
  size_t count = 0;
  while (next_ + filter_.taps() <= filled_) {
    out[count++] = filter_.apply(history + next_, phase_);
    const uint64_t phase = uint64_t{phase_} + down_;
    next_ += static_cast<size_t>(phase / up_);
    phase_ = static_cast<uint32_t>(phase % up_);
  }
  // At a large reduction of the rate the next output may begin beyond the buffered samples; then all of them are used up.
  const size_t served = std::min(next_, filled_);
  std::memmove(history, history + served, (filled_ - served) * sizeof(float));
  filled_ -= served;
  next_ -= served;
  return count;
}

size_t Resampler::push(std::span<const float> input, float* out) {
  size_t count = 0;
  inputs_ += input.size();
  if (passes_through()) {
    std::copy(input.begin(), input.end(), out);
    count = input.size();
  } else {
    const size_t capacity = history_.floats().size();
    while (!input.empty()) {
      const size_t taken = std::min(input.size(), capacity - filled_);
      std::memcpy(history_.floats().data() + filled_, input.data(), taken * sizeof(float));
      filled_ += taken;
      input = input.subspan(taken);
      count += produce(out + count);
    }
  }
  outputs_ += count;
  return count;
}

size_t Resampler::finish(float* out) {
  if (passes_through()) return 0;
  const uint64_t total = (inputs_ * up_ + down_ - 1) / down_;
  size_t count = 0;
  while (outputs_ + count < total) {
    // Silence follows; produce() left less than taps() inputs, so that some fits in.
    std::fill_n(history_.floats().data() + filled_, filter_.reach(), 0.0f);
    filled_ += filter_.reach();
    count += produce(out + count);
  }
  count = static_cast<size_t>(std::min<uint64_t>(count, total - outputs_));
  outputs_ += count;
  return count;
}

}  // namespace susurrus
