#pragma once
#include <array>
#include <span>

#include "families/speakers/speaker_networks.h"
#include "families/speakers/speaker_weights.h"
#include "kernels/kernel_table.h"

namespace susurrus {

/// Who speaks in a window: sinc filters and two convolutions, each pooled and normalised over the window, then a bidirectional
/// LSTM over 589 frames. The convolutions take one window after the other; the LSTM takes a frame of all windows at once.
class SegmentationNetwork {
 public:
  static constexpr size_t kMostWindows = 4;

  /// Both outlive it.
  SegmentationNetwork(const SegmentationWeights& weights, const KernelTable& kernels)
      : weights_(weights), kernels_(kernels) {}

  static size_t workspace_floats();

  /// `workspace` and `scratch` hold as many floats, finite ones, until it is done; `out` [windows, kWindowFrames, kClasses].
  void begin(std::span<const float* const> windows, std::span<float> workspace,
             std::span<float> scratch, float* out);
  /// False when nothing is left.
  bool step();

 private:
  enum class Stage : uint8_t { samples, filters, first, second, lstm, classes, done };

  void measure_samples();
  bool filter();
  float* extremes(size_t row) const;
  void spread_filtered(float* to) const;
  bool convolve(size_t which);
  bool advance_lstm();
  bool classify();
  void apply_gates(float* gates, float* out, bool is_first);
  void product(const SpeakerProduct& product, size_t rows, const float* x, size_t x_stride,
               float* y, size_t y_stride, Epilogue epilogue = Epilogue::store) const;

  const SegmentationWeights& weights_;
  const KernelTable& kernels_;
  std::array<const float*, kMostWindows> windows_ = {};
  size_t window_count_ = 0;
  std::span<float> workspace_;
  std::span<float> scratch_;
  float* out_ = nullptr;
  Stage stage_ = Stage::done;
  size_t window_ = 0;
  size_t first_row_ = 0;  // where a window's rows begin in the ring of what the filters gave
  size_t row_ = 0;        // of a convolution's output after pooling, or a frame
  size_t layer_ = 0;
  size_t direction_ = 0;
  float sample_factor_ = 1;
  float sample_summand_ = 0;
};

}  // namespace susurrus
