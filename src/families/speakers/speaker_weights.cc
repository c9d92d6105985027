#include "families/speakers/speaker_weights.h"

#include <string>

#include "families/speakers/speaker_networks.h"

namespace susurrus {
namespace {

/// Calls `tensor(name, shape, kind, view)` for each tensor of the file.
template <class Tensor>
class Walk {
 public:
  explicit Walk(const Tensor& tensor) : tensor_(tensor) {}

  void all(SpeakerWeights& weights) const {
    segmentation(weights.segmentation);
    voice(weights.voice);
  }

 private:
  void values(const std::string& name, uint64_t count, TensorView& view) const {
    tensor_(name, Shape({count}), WeightKind::values, view);
  }
  void matrix(const std::string& name, uint64_t rows, uint64_t columns, TensorView& view) const {
    tensor_(name + ".weight", Shape({rows, columns}), WeightKind::matrix, view);
  }
  void product(const std::string& name, uint64_t rows, uint64_t columns, SpeakerProduct& to) const {
    matrix(name, rows, columns, to.weight);
    values(name + ".bias", rows, to.bias);
  }
  void norm(const std::string& name, uint64_t channels, SpeakerNorm& to) const {
    values(name + ".weight", channels, to.weight);
    values(name + ".bias", channels, to.bias);
  }

  void segmentation(SegmentationWeights& to) const {
    constexpr uint64_t kChannels[] = {1, 80, 60, 60};
    const std::string name = "segmentation.";
    for (size_t i = 0; i < 4; ++i) {
      norm(name + "norms." + std::to_string(i), kChannels[i], to.norms[i]);
    }
    matrix(name + "convolutions.0", 80, 128, to.convolutions[0].weight);
    product(name + "convolutions.1", 60, 416, to.convolutions[1]);
    product(name + "convolutions.2", 60, 320, to.convolutions[2]);
    for (size_t i = 0; i < to.lstm.size(); ++i) {
      for (size_t backward = 0; backward < 2; ++backward) {
        const std::string direction =
            name + "lstm." + std::to_string(i) + (backward == 0 ? ".forward." : ".backward.");
        auto& weights = to.lstm[i][backward];
        product(direction + "input", SegmentationWeights::kGates, i == 0 ? 64 : 256, weights.input);
        matrix(direction + "state", SegmentationWeights::kGates, SegmentationWeights::kState,
               weights.state);
      }
    }
    product(name + "linear.0", 128, 256, to.linear[0]);
    product(name + "linear.1", 128, 128, to.linear[1]);
    product(name + "linear.2", SpeakerNetworks::kClasses, 128, to.linear[2]);
  }

  void voice(VoiceWeights& to) const {
    constexpr uint64_t kHead = VoiceWeights::kHeadChannels;
    const std::string name = "voice.";
    product(name + "head.first", kHead, 9, to.first);
    for (size_t i = 0; i < to.blocks.size(); ++i) {
      const std::string block = name + "head.blocks." + std::to_string(i);
      square(block + ".first", to.blocks[i].first);
      square(block + ".second", to.blocks[i].second);
      if (i % 2 == 0) matrix(block + ".shortcut", kHead, kHead, to.blocks[i].shortcut);
    }
    square(name + "head.last", to.last);
    product(name + "tdnn", 128, 5 * 320, to.tdnn);
    for (size_t b = 0; b < to.dense.size(); ++b) {
      VoiceWeights::Dense& dense = to.dense[b];
      const std::string block = name + "blocks." + std::to_string(b);
      uint64_t channels = dense.channels;
      for (size_t i = 0; i < dense.layers.size(); ++i, channels += VoiceWeights::kGrowth) {
        layer(block + ".layers." + std::to_string(i), channels, dense.layers[i]);
      }
      norm(block + ".norm", channels, dense.norm);
      matrix(block + ".half", channels / 2, channels, dense.half.weight);
    }
    values(name + "blocks.2.half.bias", 512, to.dense[2].half.bias);
    product(name + "last", SpeakerNetworks::kVectorSize, 1024, to.vector);
  }

  void square(const std::string& name, SpeakerProduct& to) const {
    constexpr uint64_t kHead = VoiceWeights::kHeadChannels;
    matrix(name, 3 * kHead, 3 * kHead, to.weight);
    values(name + ".bias", kHead, to.bias);
  }

  void layer(const std::string& name, uint64_t channels, VoiceWeights::Layer& to) const {
    norm(name + ".norm", channels, to.norm);
    product(name + ".wide", VoiceWeights::kWide, channels, to.wide);
    matrix(name + ".local", VoiceWeights::kGrowth, 3 * VoiceWeights::kWide, to.local);
    product(name + ".gate.0", 64, VoiceWeights::kWide, to.gate[0]);
    product(name + ".gate.1", VoiceWeights::kGrowth, 64, to.gate[1]);
  }

  const Tensor& tensor_;
};

}  // namespace

Result<SpeakerWeights> SpeakerWeights::find(const WeightStore& store) {
  SpeakerWeights weights;
  Status status = ok_status();
  const auto take = [&](const std::string& name, const Shape&, WeightKind kind, TensorView& view) {
    const TensorView* found = store.find(name);
    if (found == nullptr || found->empty()) {
      status = make_error(ErrorCode::missing_tensor, ErrorReason::model).with_subject(name);
    } else if (kind == WeightKind::values && found->dtype != Dtype::f32) {
      status = make_error(ErrorCode::unsupported_feature, ErrorReason::unsupported_dtype)
                   .with_subject(name)
                   .with_expected("f32")
                   .with_got(dtype_traits(found->dtype).name);
    } else {
      view = *found;
    }
  };
  Walk(take).all(weights);
  SUSURRUS_RETURN_IF_ERROR(status);
  return weights;
}

std::vector<WantedTensor> SpeakerWeights::wanted() {
  std::vector<WantedTensor> wanted;
  SpeakerWeights none;
  const auto want = [&](const std::string& name, const Shape& shape, WeightKind kind,
                        const TensorView&) {
    wanted.push_back({.name = name, .shape = shape, .kind = kind});
  };
  Walk(want).all(none);
  return wanted;
}

}  // namespace susurrus
