#pragma once
#include <array>
#include <span>

#include "base/aligned_buffer.h"
#include "families/speakers/speaker_networks.h"
#include "families/speakers/speaker_weights.h"
#include "kernels/kernel_table.h"

namespace susurrus {

/// One voice's frames to a vector (CAM++): convolutions over frequency and time, then dense blocks over time, whose layers read
/// what all before them wrote, then mean and deviation.
class VoiceNetwork {
 public:
  static constexpr size_t kLeastFrames = 3;
  static constexpr size_t kMostFrames = 1000;

  /// Both outlive it.
  VoiceNetwork(const VoiceWeights& weights, const KernelTable& kernels)
      : weights_(weights), kernels_(kernels) {}

  /// Before all else: makes the weights of convolutions of 3 ready, whatever their type. out_of_memory.
  Status prepare();
  /// What that takes.
  size_t byte_count() const { return folded_weights_.byte_count(); }

  static size_t workspace_floats();

  /// `workspace` and `scratch` hold as many floats, finite ones, until it is done; `out` kVectorSize.
  void begin(std::span<const float> features, std::span<float> workspace, std::span<float> scratch,
             float* out);
  /// False when nothing is left.
  bool step();

 private:
  enum class Stage : uint8_t { head, squeeze, wide, local, half, vector, done };

  /// A convolution's weights as the kernel takes them.
  struct FoldedWeights {
    float* scales;
    int16_t* weights;
  };

  void centre(std::span<const float> features);
  bool advance_head();
  const float* first_band(size_t band);
  const int16_t* folded_band(const float* bands, size_t band);
  void convolve_band(const SpeakerProduct& weights, const float* bands, size_t count, size_t middle,
                     float* y, size_t y_stride, bool accumulates);
  /// `index` counts the head's nine, then the dense layers.
  FoldedWeights folded_weights(size_t index);
  void product(const SpeakerProduct& product, size_t rows, const float* x, size_t x_stride,
               float* y, size_t y_stride, Epilogue epilogue = Epilogue::store) const;
  bool squeeze();
  bool widen();
  void grow();
  bool halve();
  void describe();
  /// Goes on by so many of `all` rows; true after the last one.
  bool advance(size_t rows, size_t all);

  const VoiceWeights::Dense& dense() const { return weights_.dense[block_]; }
  /// What a dense block reads and adds to, [times_, its channels in the end].
  float* channels_of(size_t block) const;
  size_t channel_stride(size_t block) const;
  size_t phase_times(size_t phase) const;
  float* phase_rows(size_t phase) const;

  const VoiceWeights& weights_;
  const KernelTable& kernels_;
  AlignedBuffer folded_weights_;
  /// The first convolution's output is at most the features' largest number times one, plus the other.
  float first_factor_ = 0;
  float first_summand_ = 0;
  std::span<float> workspace_;
  std::span<float> scratch_;
  float* out_ = nullptr;
  Stage stage_ = Stage::done;
  size_t frames_ = 0;
  size_t times_ = 0;  // half of them
  size_t part_ = 0;   // of the head: two for each block, and the last
  size_t band_ = 0;
  size_t ready_bands_ = 0;  // of the first convolution
  size_t folded_bands_ = 0;
  float fold_factor_ = 1;  // of all bands that a convolution reads
  size_t block_ = 0;
  size_t layer_ = 0;
  size_t layers_before_ = 0;  // in earlier blocks
  size_t phase_ = 0;          // of a dilation
  size_t row_ = 0;
};

}  // namespace susurrus
