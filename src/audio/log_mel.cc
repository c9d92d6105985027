#include "audio/log_mel.h"

#include <algorithm>
#include <cmath>

#include "audio/f32x4.h"
#include "audio/fft.h"
#include "audio/log10.h"

namespace susurrus {
namespace {

constexpr int64_t kHalfFrame = kFftSize / 2;
constexpr uint32_t kLanes = 4;
constexpr float kPowerFloor = 1e-10f;
static_assert(kFftSize == Fft400::kSize && kFrequencyBins == Fft400::kBins);
static_assert(kFrequencyBins == kFftSize / 2 + 1);

/// The recording with its zeros and its mirrored ends, of which `samples` is the piece at hand.
struct Signal {
  std::span<const float> samples;
  int64_t samples_begin;
  int64_t sample_count;
  int64_t total_count;  // with the zeros

  float at(int64_t position) const {
    if (position < 0) position = -position;
    if (position >= total_count) position = 2 * (total_count - 1) - position;
    // Shorter than half a frame, a recording cannot be mirrored; what is missing is silence.
    if (position < 0 || position >= sample_count) return 0;
    return samples[static_cast<size_t>(position - samples_begin)];
  }

  /// The 400 samples around the centre of `frame`, in place where they are, else collected in `scratch`.
  const float* frame(uint64_t frame, float* scratch) const {
    const int64_t begin = static_cast<int64_t>(frame * kHopSamples) - kHalfFrame;
    const int64_t end = begin + kFftSize;
    if (begin >= 0 && end <= sample_count) return samples.data() + (begin - samples_begin);
    for (int64_t position = begin; position < end; ++position) *scratch++ = at(position);
    return scratch - kFftSize;
  }
};

}  // namespace

Result<LogMel> LogMel::create(uint32_t n_mels, std::span<const float> filterbank) {
  LogMel mel;
  AlignedBuffer computed;
  if (filterbank.empty() && n_mels != 0 && n_mels <= MelFilterbank::kMaxMels) {
    SUSURRUS_ASSIGN_OR_RETURN(
        computed, AlignedBuffer::allocate(uint64_t{n_mels} * kFrequencyBins * sizeof(float),
                                          "mel filterbank"));
    MelFilterbank::slaney(n_mels, computed.floats());
    filterbank = computed.floats();
  }
  SUSURRUS_ASSIGN_OR_RETURN(mel.filterbank_, MelFilterbank::compact(n_mels, filterbank));
  SUSURRUS_ASSIGN_OR_RETURN(mel.window_,
                            AlignedBuffer::allocate(kFftSize * sizeof(float), "mel window"));
  constexpr double kPi = 3.14159265358979323846;
  std::span<float> window = mel.window_.floats();
  for (uint32_t i = 0; i < kFftSize; ++i) {
    const double hann = 0.5 - 0.5 * std::cos(2 * kPi * i / kFftSize);
    window[i] = 0.5f * static_cast<float>(hann);
  }
  return mel;
}

LogMel::SampleRange LogMel::samples_needed(uint64_t first_frame, uint64_t frame_count,
                                           uint64_t sample_count) {
  if (frame_count == 0) return {};
  const uint64_t first_centre = first_frame * kHopSamples;
  const uint64_t last_centre = (first_frame + frame_count - 1) * kHopSamples;
  SampleRange range;
  range.begin = first_centre > kHalfFrame ? first_centre - kHalfFrame : 0;
  // The frame at 0 mirrors sample 200, one more than it covers; at the other end frames mirror what they cover.
  range.end = last_centre + kHalfFrame + (first_frame == 0 ? 1 : 0);
  range.end = std::min(range.end, sample_count);
  range.begin = std::min(range.begin, range.end);
  return range;
}

float LogMel::log_frames(std::span<const float> samples, uint64_t samples_begin,
                         uint64_t sample_count, uint64_t zero_count, uint64_t first_frame,
                         uint64_t frame_count, float* out) const {
  const SampleRange needed = samples_needed(first_frame, frame_count, sample_count);
  SUSURRUS_CHECK(needed.begin == needed.end ||
                 (samples_begin <= needed.begin && needed.end - samples_begin <= samples.size()));
  const Signal signal = {samples, static_cast<int64_t>(samples_begin),
                         static_cast<int64_t>(sample_count),
                         static_cast<int64_t>(sample_count + zero_count)};
  const float* window = window_.floats().data();
  const uint32_t n_mels = this->n_mels();
  float maximum = -10;

  for (uint64_t done = 0; done < frame_count; done += kLanes) {
    const uint64_t lanes = std::min<uint64_t>(kLanes, frame_count - done);
    float scratch[kLanes][kFftSize];
    const float* frames[kLanes];
    for (uint64_t lane = 0; lane < kLanes; ++lane) {
      // Lanes without a frame repeat the last.
      frames[lane] =
          lane < lanes ? signal.frame(first_frame + done + lane, scratch[lane]) : frames[lane - 1];
    }
    F32x4 windowed[kFftSize];
    for (uint32_t i = 0; i < kFftSize; i += 4) {
      const F32x4 weights = load_f32x4(window + i);
      F32x4 a = load_f32x4(frames[0] + i) * weights;
      F32x4 b = load_f32x4(frames[1] + i) * weights;
      F32x4 c = load_f32x4(frames[2] + i) * weights;
      F32x4 d = load_f32x4(frames[3] + i) * weights;
      transpose_4x4(a, b, c, d);
      windowed[i] = a;
      windowed[i + 1] = b;
      windowed[i + 2] = c;
      windowed[i + 3] = d;
    }
    F32x4 power[kFrequencyBins];
    Fft400::power_spectrum(windowed, power);

    F32x4 largest = splat(-10);
    float* rows = out + done * n_mels;
    for (uint32_t mel = 0; mel < n_mels; mel += 4) {
      const uint32_t mels = std::min(4u, n_mels - mel);
      F32x4 logs[4] = {largest, largest, largest, largest};
      for (uint32_t i = 0; i < mels; ++i) {
        const F32x4 energy = at_least(filterbank_.apply(mel + i, power), splat(kPowerFloor));
        logs[i] = log10_f32x4(energy);
        largest = at_least(logs[i], largest);
      }
      transpose_4x4(logs[0], logs[1], logs[2], logs[3]);
      for (uint64_t lane = 0; lane < lanes; ++lane) {
        float* at = rows + lane * n_mels + mel;
        if (mels == 4) {
          store_f32x4(at, logs[lane]);
        } else {
          for (uint32_t i = 0; i < mels; ++i) at[i] = logs[lane][i];
        }
      }
    }
    maximum = std::max(maximum, maximum_lane(largest));
  }
  return maximum;
}

void LogMel::normalise(std::span<float> log_mel, float maximum) {
  const float floor = maximum - 8;
  for (float& value : log_mel) value = (std::max(value, floor) + 4) / 4;
}

}  // namespace susurrus
