#include "audio/channel_mix.h"

#include <bit>

namespace susurrus {
namespace {

enum Speaker : uint32_t {
  kFrontLeft = 0x1,
  kFrontRight = 0x2,
  kFrontCentre = 0x4,
  kLowFrequency = 0x8,
  kBackLeft = 0x10,
  kBackRight = 0x20,
  kLeftOfCentre = 0x40,
  kRightOfCentre = 0x80,
  kBackCentre = 0x100,
  kSideLeft = 0x200,
  kSideRight = 0x400,
};

/// The layouts that ffmpeg assumes for 3 to 8 channels: 2.1, 4.0, 5.0, 5.1, 6.1, 7.1.
constexpr uint32_t kUsualMasks[] = {
    kFrontLeft | kFrontRight | kLowFrequency,
    kFrontLeft | kFrontRight | kFrontCentre | kBackCentre,
    kFrontLeft | kFrontRight | kFrontCentre | kBackLeft | kBackRight,
    kFrontLeft | kFrontRight | kFrontCentre | kLowFrequency | kBackLeft | kBackRight,
    kFrontLeft | kFrontRight | kFrontCentre | kLowFrequency | kBackCentre | kSideLeft | kSideRight,
    kFrontLeft | kFrontRight | kFrontCentre | kLowFrequency | kBackLeft | kBackRight | kSideLeft |
        kSideRight,
};

double speaker_weight(uint32_t speaker) {
  constexpr double kSqrtHalf = 0.70710678118654752440;
  switch (speaker) {
    case kFrontCentre: return 1;
    case kFrontLeft:
    case kFrontRight:
    case kLeftOfCentre:
    case kRightOfCentre: return kSqrtHalf;
    case kBackLeft:
    case kBackRight:
    case kBackCentre:
    case kSideLeft:
    case kSideRight: return 0.5;
    default: return 0;
  }
}

/// A front speaker, and every pair complete: otherwise the mask is a mistake, not a speaker layout.
bool is_sane(uint32_t mask) {
  for (uint32_t pair : {kFrontLeft | kFrontRight, kBackLeft | kBackRight,
                        kLeftOfCentre | kRightOfCentre, kSideLeft | kSideRight}) {
    if ((mask & pair) != 0 && (mask & pair) != pair) return false;
  }
  return (mask & (kFrontLeft | kFrontRight | kFrontCentre)) != 0;
}

}  // namespace

ChannelMix::ChannelMix(uint32_t channels, uint32_t channel_mask)
    : channels_(channels), mean_(1.0f / static_cast<float>(channels)) {
  if (channels > kMaxSpeakers) return;
  weights_.fill(mean_);
  if (channels < 3) return;
  if (channel_mask == 0) channel_mask = kUsualMasks[channels - 3];
  if (std::popcount(channel_mask) != static_cast<int>(channels) || !is_sane(channel_mask)) return;

  double sum = 0;
  for (uint32_t rest = channel_mask; rest != 0; rest &= rest - 1) {
    sum += speaker_weight(rest & (~rest + 1));
  }
  uint32_t channel = 0;
  for (uint32_t rest = channel_mask; rest != 0; rest &= rest - 1) {
    weights_[channel++] = static_cast<float>(speaker_weight(rest & (~rest + 1)) / sum);
  }
}

size_t ChannelMix::mix(std::span<const float> interleaved, float* mono) {
  size_t frames = 0;
  const float* sample = interleaved.data();
  const float* const end = sample + interleaved.size();
  if (channels_ <= 2 && channel_ == 0) {
    frames = interleaved.size() / channels_;
    for (size_t i = 0; i < frames; ++i) {
      mono[i] = channels_ == 1 ? sample[i] : 0.5f * sample[2 * i] + 0.5f * sample[2 * i + 1];
    }
    sample += frames * channels_;
  }
  for (; sample != end; ++sample) {
    sum_ += double{*sample} * weight(channel_);
    if (++channel_ < channels_) continue;
    mono[frames++] = static_cast<float>(sum_);
    sum_ = 0;
    channel_ = 0;
  }
  return frames;
}

}  // namespace susurrus
