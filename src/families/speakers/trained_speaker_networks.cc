#include "families/speakers/trained_speaker_networks.h"

#include <algorithm>
#include <new>
#include <utility>

namespace susurrus {
namespace {

/// For every product of either network: rows of up to five frames of 320 numbers.
size_t scratch_floats() {
  size_t floats = 0;
  for (size_t k = 1; k <= 1600; ++k) floats = std::max(floats, linear_scratch_floats(k));
  return floats;
}

size_t workspace_floats() {
  return std::max(SegmentationNetwork::workspace_floats(), VoiceNetwork::workspace_floats());
}

constexpr size_t kLogProbabilities =
    SegmentationNetwork::kMostWindows * SpeakerNetworks::kWindowFrames * SpeakerNetworks::kClasses;

}  // namespace

Result<std::unique_ptr<TrainedSpeakerNetworks>> TrainedSpeakerNetworks::create(
    const WeightStore& store, const KernelTable& kernels) {
  SUSURRUS_ASSIGN_OR_RETURN(SpeakerWeights weights, SpeakerWeights::find(store));
  const size_t floats = scratch_floats() + workspace_floats() + kLogProbabilities + kVectorSize;
  SUSURRUS_ASSIGN_OR_RETURN(AlignedBuffer memory,
                            AlignedBuffer::allocate(floats * sizeof(float), "speakers"));
  std::unique_ptr<TrainedSpeakerNetworks> networks(
      new (std::nothrow) TrainedSpeakerNetworks(std::move(weights), kernels, std::move(memory)));
  if (networks == nullptr) {
    return make_error(ErrorCode::out_of_memory, ErrorReason::memory).with_subject("speakers");
  }
  SUSURRUS_RETURN_IF_ERROR(networks->voice_.prepare());
  return networks;
}

TrainedSpeakerNetworks::TrainedSpeakerNetworks(SpeakerWeights weights, const KernelTable& kernels,
                                               AlignedBuffer memory)
    : weights_(std::move(weights)),
      memory_(std::move(memory)),
      segmentation_(weights_.segmentation, kernels),
      voice_(weights_.voice, kernels) {
  std::span<float> rest = memory_.floats();
  // Products may read weights of zero times what lies behind a row: that must be a number.
  std::ranges::fill(rest, 0.0f);
  const auto take = [&](size_t count) {
    const std::span<float> part = rest.first(count);
    rest = rest.subspan(count);
    return part;
  };
  scratch_ = take(scratch_floats());
  workspace_ = take(workspace_floats());
  log_probabilities_ = take(kLogProbabilities);
  vector_ = take(kVectorSize);
}

void TrainedSpeakerNetworks::begin_windows(std::span<const float* const> windows) {
  window_count_ = windows.size();
  is_voice_ = false;
  segmentation_.begin(windows, workspace_, scratch_, log_probabilities_.data());
}

void TrainedSpeakerNetworks::begin_voice(std::span<const float> features) {
  is_voice_ = true;
  voice_.begin(features, workspace_, scratch_, vector_.data());
}

bool TrainedSpeakerNetworks::step() { return is_voice_ ? !voice_.step() : !segmentation_.step(); }

std::span<const float> TrainedSpeakerNetworks::log_probabilities() const {
  return log_probabilities_.first(window_count_ * kWindowFrames * kClasses);
}

std::span<const float> TrainedSpeakerNetworks::vector() const { return vector_; }

}  // namespace susurrus
