#pragma once
#include <memory>

#include "base/aligned_buffer.h"
#include "families/speakers/segmentation_network.h"
#include "families/speakers/voice_network.h"

namespace susurrus {

/// The networks of a model of kSpeakersFamily. One works at a time, in memory that both use and that is taken when they are made.
class TrainedSpeakerNetworks final : public SpeakerNetworks {
 public:
  /// `store` is complete and outlives them, as does `kernels`. out_of_memory, or as SpeakerWeights::find().
  static Result<std::unique_ptr<TrainedSpeakerNetworks>> create(const WeightStore& store,
                                                                const KernelTable& kernels);

  size_t most_windows() const override { return SegmentationNetwork::kMostWindows; }
  void begin_windows(std::span<const float* const> windows) override;
  void begin_voice(std::span<const float> features) override;
  bool step() override;
  std::span<const float> log_probabilities() const override;
  std::span<const float> vector() const override;

  /// Besides the weights.
  size_t byte_count() const { return memory_.byte_count() + voice_.byte_count(); }

 private:
  TrainedSpeakerNetworks(SpeakerWeights weights, const KernelTable& kernels, AlignedBuffer memory);

  SpeakerWeights weights_;
  AlignedBuffer memory_;
  std::span<float> scratch_;
  std::span<float> workspace_;
  std::span<float> log_probabilities_;
  std::span<float> vector_;
  SegmentationNetwork segmentation_;
  VoiceNetwork voice_;
  size_t window_count_ = 0;
  bool is_voice_ = false;
};

}  // namespace susurrus
