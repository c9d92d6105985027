#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace susurrus {

/// Interleaved channels to mono, in pieces that may end within a frame.
///
/// One channel stays as it is; of two the mean is taken; up to eight are mixed as ffmpeg's swresample does by
/// default: centre 1, front left and right and the two beside the centre sqrt(1/2), surround channels 1/2, the low
/// frequencies and the channels overhead dropped, all divided by their sum. More channels: the mean.
class ChannelMix {
 public:
  static constexpr uint32_t kMaxSpeakers = 8;

  ChannelMix() = default;
  /// `channel_mask` as in WAVEFORMATEXTENSIBLE; 0 means the usual layout of that many channels.
  ChannelMix(uint32_t channels, uint32_t channel_mask);

  /// Writes the frames that `interleaved` completes, at most size / channels + 1, and returns their number.
  size_t mix(std::span<const float> interleaved, float* mono);

  /// Whether the last piece ended within a frame.
  bool is_within_frame() const { return channel_ != 0; }

 private:
  float weight(uint32_t channel) const {
    return channels_ > kMaxSpeakers ? mean_ : weights_[channel];
  }

  uint32_t channels_ = 1;
  uint32_t channel_ = 0;  // of the next sample
  double sum_ = 0;        // of thousands of channels, perhaps
  float mean_ = 1;
  std::array<float, kMaxSpeakers> weights_{1};
};

}  // namespace susurrus
