#pragma once
#include <array>
#include <cstddef>

#include "tensor/weight_store.h"

namespace susurrus {

/// Weights of one product, and what is added to it: f32, or empty.
struct SpeakerProduct {
  TensorView weight;
  TensorView bias;
};

/// A factor and a summand for each channel, both f32.
struct SpeakerNorm {
  TensorView weight;
  TensorView bias;
};

struct SegmentationWeights {
  static constexpr size_t kLayers = 4;
  static constexpr size_t kState = 128;
  static constexpr size_t kGates = 4 * kState;

  struct Direction {
    SpeakerProduct input;
    TensorView state;  // [kGates, kState]; rows as those of `input`: input, forget, output, cell
  };

  std::array<SpeakerNorm, 4> norms;  // of the samples, and after each convolution
  /// [80, 128], half of each filter: 40 even ones, then 40 odd ones; [60, 416]; [60, 320].
  std::array<SpeakerProduct, 3> convolutions;
  std::array<std::array<Direction, 2>, kLayers> lstm;
  std::array<SpeakerProduct, 3> linear;
};

struct VoiceWeights {
  static constexpr size_t kHeadChannels = 32;
  static constexpr size_t kGrowth = 32;
  static constexpr size_t kWide = 128;

  struct Block {
    SpeakerProduct
        first;  // 3×3: [3 · 32, 3 · 32], rows of each band of frequency one below the other
    SpeakerProduct second;
    TensorView shortcut;  // [32, 32]; of blocks that halve the bands
  };
  struct Layer {
    SpeakerNorm norm;
    SpeakerProduct wide;
    TensorView local;  // [kGrowth, 3 · kWide]
    std::array<SpeakerProduct, 2> gate;
  };
  /// A block of layers that each add channels, and what halves them in the end.
  struct Dense {
    size_t channels;
    size_t dilation;
    std::vector<Layer> layers;
    SpeakerNorm norm;
    SpeakerProduct half;

    size_t all_channels() const { return channels + kGrowth * layers.size(); }
  };

  SpeakerProduct first;
  std::array<Block, 4> blocks;
  SpeakerProduct last;
  SpeakerProduct tdnn;
  std::array<Dense, 3> dense = {Dense{128, 1, std::vector<Layer>(12), {}, {}},
                                Dense{256, 2, std::vector<Layer>(24), {}, {}},
                                Dense{512, 2, std::vector<Layer>(16), {}, {}}};
  SpeakerProduct vector;
};

struct SpeakerWeights {
  SegmentationWeights segmentation;
  VoiceWeights voice;

  /// From a store of kSpeakersFamily that is complete and outlives them. unsupported_feature: biases of a type other than f32.
  static Result<SpeakerWeights> find(const WeightStore& store);
  /// Which tensors there are in the file.
  static std::vector<WantedTensor> wanted();
};

}  // namespace susurrus
