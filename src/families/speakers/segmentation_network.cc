#include "families/speakers/segmentation_network.h"

#include <algorithm>
#include <cmath>

#include "families/speakers/speaker_frames.h"
#include "kernels/packed_weights/packed_weights.h"

namespace susurrus {
namespace {

constexpr size_t kFrames = SpeakerNetworks::kWindowFrames;
constexpr size_t kState = SegmentationWeights::kState;
constexpr size_t kGates = SegmentationWeights::kGates;
constexpr size_t kBoth = 2 * kState;  // what both directions say
constexpr size_t kPool = 3;
constexpr float kLeak = 0.01f;

constexpr size_t kFilterTaps = 251;
constexpr size_t kFilterStride = 10;
constexpr size_t kFilterMiddle = kFilterTaps / 2;
constexpr size_t kFoldedTaps = 128;  // half of them, and zeros

/// A convolution and the pooling behind it. Rows of its input are `in_stride` floats apart; those it writes have `channels`
/// values and zeros up to `out_stride`.
struct Convolution {
  size_t channels;
  size_t in_stride;
  size_t out_stride;
  size_t rows;        // after pooling
  size_t chunk_rows;  // of them, in one step
};
constexpr Convolution kConvolutions[] = {
    {80, kFilterStride, 80, 5325, 64},
    {60, 80, 64, 1773, 64},
    {60, 64, 64, kFrames, 64},
};
static_assert(((SpeakerNetworks::kWindowSamples - kFilterTaps) / kFilterStride + 1) / kPool ==
              kConvolutions[0].rows);
static_assert((kConvolutions[0].rows - 4) / kPool == kConvolutions[1].rows);
static_assert((kConvolutions[1].rows - 4) / kPool == kConvolutions[2].rows);

/// Windows a hop apart share all but so many rows of what the filters give.
constexpr size_t kHopRows = kHopSamples / (kFilterStride * kPool);
static_assert(kHopRows * kFilterStride * kPool == kHopSamples);

/// Frames of all windows whose gates are worked out together.
constexpr size_t kStepFrames = 32;
constexpr size_t kClassRows = 256;

/// Where everything lies in the workspace: what the LSTM's layers read and write in turn, the first of which is the
/// convolutions' memory before.
struct Layout {
  static constexpr size_t kTurn = kFrames * SegmentationNetwork::kMostWindows * kBoth;
  static constexpr size_t kFiltered = kConvolutions[0].rows * kConvolutions[0].out_stride;
  static constexpr size_t kConvolved = kConvolutions[1].rows * kConvolutions[1].out_stride;
  static_assert(kFiltered + kConvolved <= kTurn);

  static constexpr size_t kRows = kPool * 64;  // of a convolution's step
  static constexpr size_t kFolded = 2 * kRows * kFoldedTaps;
  static constexpr size_t kProduct = kRows * 80;
  static constexpr size_t kGateValues = kStepFrames * SegmentationNetwork::kMostWindows * kGates;
  static constexpr size_t kCells = SegmentationNetwork::kMostWindows * kState;
  static constexpr size_t kHidden = kClassRows * 128;

  static constexpr size_t first = 0;
  static constexpr size_t second = kTurn;
  static constexpr size_t small = 2 * kTurn;
  static constexpr size_t cells = small + std::max({kFolded + kProduct, kGateValues, 2 * kHidden});
  static constexpr size_t extremes = cells + 2 * kCells;
  static constexpr size_t floats = extremes + kConvolutions[0].rows * 2 * kConvolutions[0].channels;
};

/// To mean 0 and deviation 1 of each channel over all rows, then times weight plus bias, then a leaky rectifier.
void normalise(size_t rows, size_t channels, float* x, size_t stride, const SpeakerNorm& norm) {
  constexpr size_t kMostChannels = 80;
  double sums[kMostChannels] = {};
  float partial[kMostChannels];
  float means[kMostChannels];
  constexpr size_t kRun = 64;  // rows that are summed as floats
  for (size_t r = 0; r < rows; r += kRun) {
    std::fill_n(partial, channels, 0.0f);
    for (size_t i = r; i < std::min(rows, r + kRun); ++i) {
      const float* row = x + i * stride;
      for (size_t c = 0; c < channels; ++c) partial[c] += row[c];
    }
    for (size_t c = 0; c < channels; ++c) sums[c] += static_cast<double>(partial[c]);
  }
  for (size_t c = 0; c < channels; ++c) {
    means[c] = static_cast<float>(sums[c] / static_cast<double>(rows));
    sums[c] = 0;
  }
  for (size_t r = 0; r < rows; r += kRun) {
    std::fill_n(partial, channels, 0.0f);
    for (size_t i = r; i < std::min(rows, r + kRun); ++i) {
      const float* row = x + i * stride;
      for (size_t c = 0; c < channels; ++c) {
        const float away = row[c] - means[c];
        partial[c] += away * away;
      }
    }
    for (size_t c = 0; c < channels; ++c) sums[c] += static_cast<double>(partial[c]);
  }
  float factors[kMostChannels];
  for (size_t c = 0; c < channels; ++c) {
    const double variance = sums[c] / static_cast<double>(rows);
    factors[c] = norm.weight.f32()[c] / static_cast<float>(std::sqrt(variance + 1e-5));
  }
  const float* summands = norm.bias.f32();
  for (size_t r = 0; r < rows; ++r) {
    float* row = x + r * stride;
    for (size_t c = 0; c < channels; ++c) {
      const float value = (row[c] - means[c]) * factors[c] + summands[c];
      row[c] = std::max(value, kLeak * value);
    }
  }
}

/// The filters are even or odd: what both halves of each are multiplied with is added, or subtracted, before.
void fold_samples(size_t rows, const float* samples, float* even, float* odd) {
  for (size_t r = 0; r < rows; ++r, samples += kFilterStride) {
    const float* end = samples + kFilterTaps - 1;
    for (size_t i = 0; i < kFilterMiddle; ++i) {
      even[i] = samples[i] + *(end - i);
      odd[i] = samples[i] - *(end - i);
    }
    even[kFilterMiddle] = samples[kFilterMiddle];
    odd[kFilterMiddle] = 0;
    for (size_t i = kFilterMiddle + 1; i < kFoldedTaps; ++i) even[i] = odd[i] = 0;
    even += kFoldedTaps;
    odd += kFoldedTaps;
  }
}

/// The largest of every three rows.
void pool(size_t rows, const Convolution& to, const float* x, float* y, size_t y_stride) {
  for (size_t r = 0; r < rows; ++r, x += kPool * to.channels, y += y_stride) {
    const float* second = x + to.channels;
    const float* third = second + to.channels;
    for (size_t c = 0; c < to.channels; ++c) y[c] = std::max(std::max(x[c], second[c]), third[c]);
    std::fill(y + to.channels, y + to.out_stride, 0.0f);
  }
}

void leak(size_t count, float* x) {
  for (size_t i = 0; i < count; ++i) x[i] = std::max(x[i], kLeak * x[i]);
}

void log_softmax(const float* x, float* y) {
  constexpr size_t kClasses = SpeakerNetworks::kClasses;
  const float most = *std::max_element(x, x + kClasses);
  float sum = 0;
  for (size_t i = 0; i < kClasses; ++i) sum += std::exp(x[i] - most);
  const float log_sum = most + std::log(sum);
  for (size_t i = 0; i < kClasses; ++i) y[i] = x[i] - log_sum;
}

}  // namespace

size_t SegmentationNetwork::workspace_floats() { return Layout::floats; }

void SegmentationNetwork::begin(std::span<const float* const> windows, std::span<float> workspace,
                                std::span<float> scratch, float* out) {
  SUSURRUS_CHECK(windows.size() <= kMostWindows && workspace.size() >= Layout::floats);
  std::ranges::copy(windows, windows_.begin());
  window_count_ = windows.size();
  workspace_ = workspace;
  scratch_ = scratch;
  out_ = out;
  stage_ = windows.empty() ? Stage::done : Stage::samples;
  window_ = row_ = layer_ = direction_ = 0;
}

bool SegmentationNetwork::step() {
  const auto next = [&](bool is_over, Stage stage) {
    if (!is_over) return;
    stage_ = stage;
    row_ = 0;
  };
  switch (stage_) {
    case Stage::samples:
      measure_samples();
      next(true, Stage::filters);
      break;
    case Stage::filters: next(filter(), Stage::first); break;
    case Stage::first: next(convolve(1), Stage::second); break;
    case Stage::second:
      if (!convolve(2)) break;
      next(true, ++window_ < window_count_ ? Stage::samples : Stage::lstm);
      break;
    case Stage::lstm: next(advance_lstm(), Stage::classes); break;
    case Stage::classes: next(classify(), Stage::done); break;
    case Stage::done: break;
  }
  return stage_ != Stage::done;
}

/// Recurrent: what 7 or 8 bits lose of an activation changes every thirtieth class.
void SegmentationNetwork::product(const SpeakerProduct& product, size_t rows, const float* x,
                                  size_t x_stride, float* y, size_t y_stride,
                                  Epilogue epilogue) const {
  kernels_.linear({.rows = rows,
                   .x = x,
                   .x_stride = x_stride,
                   .weight = product.weight,
                   .bias = product.bias.empty() ? nullptr : product.bias.f32(),
                   .y = y,
                   .y_stride = y_stride,
                   .epilogue = epilogue,
                   .is_fine = true,
                   .scratch = scratch_});
}

/// What makes the window's mean 0 and its deviation 1.
void SegmentationNetwork::measure_samples() {
  const float* samples = windows_[window_];
  constexpr size_t kCount = SpeakerNetworks::kWindowSamples;
  constexpr size_t kRun = 400;
  static_assert(kCount % kRun == 0);
  double sum = 0;
  for (size_t i = 0; i < kCount; i += kRun) {
    double partial[4] = {};
    for (size_t k = i; k < i + kRun; k += 4) {
      for (size_t lane = 0; lane < 4; ++lane)
        partial[lane] += static_cast<double>(samples[k + lane]);
    }
    sum += (partial[0] + partial[1]) + (partial[2] + partial[3]);
  }
  const double mean = sum / kCount;
  double squares = 0;
  for (size_t i = 0; i < kCount; i += kRun) {
    double partial[4] = {};
    for (size_t k = i; k < i + kRun; k += 4) {
      for (size_t lane = 0; lane < 4; ++lane) {
        const double away = static_cast<double>(samples[k + lane]) - mean;
        partial[lane] += away * away;
      }
    }
    squares += (partial[0] + partial[1]) + (partial[2] + partial[3]);
  }
  const SpeakerNorm& norm = weights_.norms[0];
  const double factor =
      static_cast<double>(norm.weight.f32()[0]) / std::sqrt(squares / kCount + 1e-5);
  sample_factor_ = static_cast<float>(factor);
  sample_summand_ = static_cast<float>(static_cast<double>(norm.bias.f32()[0]) - mean * factor);
}

/// A row of the window in the ring: for each channel the largest of three results of its filter, then for each the smallest.
float* SegmentationNetwork::extremes(size_t row) const {
  const Convolution& to = kConvolutions[0];
  return workspace_.data() + Layout::extremes + (first_row_ + row) % to.rows * 2 * to.channels;
}

/// What the filters give, before the window's own mean and deviation are known to them: those of the window before are the same
/// where both overlap.
bool SegmentationNetwork::filter() {
  const Convolution& to = kConvolutions[0];
  const size_t channels = to.channels;
  if (row_ == 0) {
    const bool is_hop = window_ > 0 && windows_[window_] == windows_[window_ - 1] + kHopSamples;
    first_row_ = is_hop ? (first_row_ + kHopRows) % to.rows : 0;
    if (is_hop) row_ = to.rows - kHopRows;
  }
  const size_t rows = std::min(to.chunk_rows, to.rows - row_);
  float* even = workspace_.data() + Layout::small;
  float* odd = even + Layout::kRows * kFoldedTaps;
  float* products = even + Layout::kFolded;
  fold_samples(kPool * rows, windows_[window_] + kPool * row_ * kFilterStride, even, odd);
  const size_t half = channels / 2;
  SpeakerProduct part = weights_.convolutions[0];
  part.weight.shape = Shape({half, kFoldedTaps});
  product(part, kPool * rows, even, kFoldedTaps, products, channels);
  part.weight.data = weights_.convolutions[0].weight.row(half);
  product(part, kPool * rows, odd, kFoldedTaps, products + half, channels);
  const float* filtered = products;
  for (size_t r = row_; r < row_ + rows; ++r, filtered += kPool * channels) {
    float* most = extremes(r);
    const float* second = filtered + channels;
    const float* third = second + channels;
    for (size_t c = 0; c < channels; ++c) {
      most[c] = std::max(std::max(filtered[c], second[c]), third[c]);
      most[channels + c] = std::min(std::min(filtered[c], second[c]), third[c]);
    }
  }
  row_ += rows;
  if (row_ < to.rows) return false;
  float* pooled = workspace_.data() + Layout::first;
  spread_filtered(pooled);
  normalise(to.rows, channels, pooled, to.out_stride, weights_.norms[1]);
  return true;
}

/// The largest magnitude of every three results, of samples of this window's mean and deviation: that of one of the extremes.
void SegmentationNetwork::spread_filtered(float* to) const {
  constexpr size_t kChannels = kConvolutions[0].channels;
  // What a constant gives: nothing where a filter is odd.
  float summands[kChannels] = {};
  float taps[kFoldedTaps];
  for (size_t c = 0; c < kChannels / 2; ++c) {
    read_weight_row(weights_.convolutions[0].weight, c, taps);
    float sum = taps[kFilterMiddle];
    for (size_t i = 0; i < kFilterMiddle; ++i) sum += 2 * taps[i];
    summands[c] = sum * sample_summand_;
  }
  const float factor = sample_factor_;
  for (size_t r = 0; r < kConvolutions[0].rows; ++r, to += kConvolutions[0].out_stride) {
    const float* most = extremes(r);
    const float* least = most + kChannels;
    for (size_t c = 0; c < kChannels; ++c) {
      to[c] = std::max(std::fabs(most[c] * factor + summands[c]),
                       std::fabs(least[c] * factor + summands[c]));
    }
  }
}

bool SegmentationNetwork::convolve(size_t which) {
  const Convolution& to = kConvolutions[which];
  const size_t rows = std::min(to.chunk_rows, to.rows - row_);
  float* filtered = workspace_.data() + Layout::first;
  float* convolved = filtered + Layout::kFiltered;
  const float* from = which == 1 ? filtered : convolved;
  float* products = workspace_.data() + Layout::small;
  product(weights_.convolutions[which], kPool * rows, from + kPool * row_ * to.in_stride,
          to.in_stride, products, to.channels);
  // What the LSTM reads: a frame of all windows, then the next.
  const bool is_last = which == 2;
  float* y = is_last ? workspace_.data() + Layout::second + window_ * to.out_stride : convolved;
  const size_t y_stride = is_last ? window_count_ * to.out_stride : to.out_stride;
  pool(rows, to, products, y + row_ * y_stride, y_stride);
  row_ += rows;
  if (row_ < to.rows) return false;
  normalise(to.rows, to.channels, y, y_stride, weights_.norms[which + 1]);
  return true;
}

/// A few frames of a direction of a layer, all windows together: what the input says, then frame by frame what the state says.
bool SegmentationNetwork::advance_lstm() {
  const auto& weights = weights_.lstm[layer_][direction_];
  const size_t width = layer_ == 0 ? kConvolutions[2].out_stride : kBoth;
  const bool reads_second = layer_ % 2 == 0;
  const float* in = workspace_.data() + (reads_second ? Layout::second : Layout::first);
  float* out = workspace_.data() + (reads_second ? Layout::first : Layout::second);
  const size_t count = std::min(kStepFrames, kFrames - row_);
  const size_t first = direction_ == 0 ? row_ : kFrames - row_ - count;
  float* gates = workspace_.data() + Layout::small;
  product(weights.input, count * window_count_, in + first * window_count_ * width, width, gates,
          kGates);
  for (size_t i = 0; i < count; ++i) {
    const size_t place = direction_ == 0 ? i : count - 1 - i;
    const size_t frame = first + place;
    float* frame_gates = gates + place * window_count_ * kGates;
    float* frame_out = out + frame * window_count_ * kBoth + direction_ * kState;
    const bool is_first = row_ + i == 0;
    if (!is_first) {
      const size_t turn = window_count_ * kBoth;
      const float* before = direction_ == 0 ? frame_out - turn : frame_out + turn;
      product({weights.state, {}}, window_count_, before, kBoth, frame_gates, kGates,
              Epilogue::accumulate);
    }
    apply_gates(frame_gates, frame_out, is_first);
  }
  row_ += count;
  if (row_ < kFrames) return false;
  row_ = 0;
  direction_ ^= 1;
  if (direction_ == 0) ++layer_;
  return layer_ == SegmentationWeights::kLayers;
}

void SegmentationNetwork::apply_gates(float* gates, float* out, bool is_first) {
  float* cells = workspace_.data() + Layout::cells;
  float* open = cells + Layout::kCells;
  for (size_t w = 0; w < window_count_; ++w) {
    float* input = gates + w * kGates;
    const float* forget = input + kState;
    float* cell = cells + w * kState;
    kernels_.sigmoid(3 * kState, input, input);
    float* fresh = input + 3 * kState;
    kernels_.tanh(kState, fresh, fresh);
    if (is_first) {
      for (size_t i = 0; i < kState; ++i) cell[i] = input[i] * fresh[i];
    } else {
      for (size_t i = 0; i < kState; ++i) cell[i] = forget[i] * cell[i] + input[i] * fresh[i];
    }
    kernels_.tanh(kState, cell, open);
    const float* output = input + 2 * kState;
    float* to = out + w * kBoth;
    for (size_t i = 0; i < kState; ++i) to[i] = output[i] * open[i];
  }
}

bool SegmentationNetwork::classify() {
  constexpr size_t kClasses = SpeakerNetworks::kClasses;
  static_assert(SegmentationWeights::kLayers % 2 == 0);
  const float* in = workspace_.data() + Layout::second;
  float* one = workspace_.data() + Layout::small;
  float* other = one + Layout::kHidden;
  const size_t all = kFrames * window_count_;
  const size_t rows = std::min(kClassRows, all - row_);
  product(weights_.linear[0], rows, in + row_ * kBoth, kBoth, one, 128);
  leak(rows * 128, one);
  product(weights_.linear[1], rows, one, 128, other, 128);
  leak(rows * 128, other);
  product(weights_.linear[2], rows, other, 128, one, kClasses);
  for (size_t r = 0; r < rows; ++r) {
    const size_t frame = (row_ + r) / window_count_;
    const size_t window = (row_ + r) % window_count_;
    log_softmax(one + r * kClasses, out_ + (window * kFrames + frame) * kClasses);
  }
  row_ += rows;
  return row_ == all;
}

}  // namespace susurrus
