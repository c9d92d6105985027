#pragma once
#include <cstddef>
#include <span>

namespace susurrus {

/// The two networks that tell speakers apart, as the pipeline around them sees them: tests put scripted ones in their place.
class SpeakerNetworks {
 public:
  static constexpr size_t kSampleRate = 16000;
  static constexpr size_t kWindowSamples = 160000;
  static constexpr size_t kWindowFrames = 589;
  static constexpr size_t kClasses = 7;
  static constexpr size_t kMelBins = 80;
  static constexpr size_t kVectorSize = 192;

  virtual ~SpeakerNetworks() = default;
  /// Windows that are segmented together at most: a few are faster than one.
  virtual size_t most_windows() const = 0;
  /// Starts on windows of kWindowSamples samples each, -1 … 1. They stay where they are until it is done.
  virtual void begin_windows(std::span<const float* const> windows) = 0;
  /// Starts on one voice: natural logarithms of Kaldi's fbank, [frames, kMelBins], whose mean the network takes away itself. Three
  /// frames at least, 1000 at most.
  virtual void begin_voice(std::span<const float> features) = 0;
  /// Does one bounded piece of work, a few milliseconds; true when what was begun is done.
  virtual bool step() = 0;
  /// After begin_windows() is done: [windows, kWindowFrames, kClasses].
  virtual std::span<const float> log_probabilities() const = 0;
  /// After begin_voice() is done: kVectorSize numbers, not normalised.
  virtual std::span<const float> vector() const = 0;
};

}  // namespace susurrus
