#pragma once
#include <functional>
#include <vector>

#include "families/speakers/speaker_finder.h"

namespace susurrus::testing {

/// Networks that say what a test has them say: a class for each frame of each window, a vector for each voice, counted as they are begun.
class ScriptedNetworks final : public SpeakerNetworks {
 public:
  std::function<uint8_t(size_t window, size_t frame)> class_of = [](size_t, size_t) { return 0; };
  std::function<void(size_t voice, std::span<float> vector)> vector_of =
      [](size_t, std::span<float> vector) { vector[0] = 1; };
  /// Looks at the samples of a window as it is begun.
  std::function<void(size_t window, const float* samples)> on_window = [](size_t, const float*) {};
  std::function<void(std::span<const float> features)> on_voice = [](std::span<const float>) {};
  size_t most = 1;
  size_t windows = 0;
  size_t voices = 0;

  size_t most_windows() const override { return most; }
  void begin_windows(std::span<const float* const> begun) override {
    values_.assign(begun.size() * kWindowFrames * kClasses, -10.0F);
    for (size_t i = 0; i < begun.size(); ++i, ++windows) {
      on_window(windows, begun[i]);
      for (size_t frame = 0; frame < kWindowFrames; ++frame) {
        values_[(i * kWindowFrames + frame) * kClasses + class_of(windows, frame)] = 0;
      }
    }
    steps_ = 2;
  }
  void begin_voice(std::span<const float> features) override {
    on_voice(features);
    vector_.assign(kVectorSize, 0.0F);
    vector_of(voices++, vector_);
    steps_ = 2;
  }
  bool step() override { return --steps_ == 0; }
  std::span<const float> log_probabilities() const override { return values_; }
  std::span<const float> vector() const override { return vector_; }

 private:
  std::vector<float> values_;
  std::vector<float> vector_;
  int steps_ = 0;
};

/// Gives a finder that many samples, as `sample` has them, and takes all steps; at most `piece` samples at a time.
template <typename Sample>
void find_speakers(SpeakerFinder& finder, uint64_t sample_count, Sample&& sample,
                   size_t piece = ~size_t{0}) {
  for (uint64_t given = 0;;) {
    const auto step = finder.step();
    if (!EXPECT_TRUE(step.has_value()) || *step == SpeakerStep::done) return;
    if (*step == SpeakerStep::working) continue;
    const std::span<float> room = finder.room();
    const auto count =
        static_cast<size_t>(std::min<uint64_t>({room.size(), piece, sample_count - given}));
    if (count == 0) {
      finder.end();
      continue;
    }
    for (size_t i = 0; i < count; ++i) room[i] = sample(given + i);
    finder.heard(count);
    given += count;
  }
}

inline float silence(uint64_t) { return 0; }

}  // namespace susurrus::testing
