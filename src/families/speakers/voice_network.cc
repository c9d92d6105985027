#include "families/speakers/voice_network.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/frame_convolution/frame_convolution.h"
#include "kernels/packed_weights/packed_weights.h"

namespace susurrus {
namespace {

constexpr size_t kMel = SpeakerNetworks::kMelBins;
constexpr size_t kChannels = VoiceWeights::kHeadChannels;
constexpr size_t kWide = VoiceWeights::kWide;
constexpr size_t kGrowth = VoiceWeights::kGrowth;
constexpr size_t kTaps = 3;
constexpr size_t kPatch = kTaps * kTaps;
constexpr size_t kLastBands = 10;
constexpr size_t kSqueezed = kLastBands * kChannels;
/// Frames at either end that the convolution of 5 reads.
constexpr size_t kMargin = 2;
constexpr size_t kGroup = 100;
constexpr size_t kHidden = 64;  // of a gate
constexpr size_t kMostGroups = VoiceNetwork::kMostFrames / 2 / kGroup;
constexpr size_t kChunk = 96;  // times of a dense layer that are worked on together
constexpr size_t kMostChannels = 1024;

/// The bands that the head's four blocks give.
constexpr size_t kBands[] = {40, 40, 20, 20};

size_t halved(size_t frames) { return (frames + 1) / 2; }

/// In Layout::other once the squeezed rows are read, which lie there before.
struct DenseLayout {
  size_t normalised;  // [kChunk, channels]
  size_t wide;        // for each phase of a dilation its times, between two rows of zeros
  size_t gates;
  size_t floats;

  explicit DenseLayout(size_t times)
      : normalised(0),
        wide(kChunk * kMostChannels),
        gates(wide + (times + 6) * kWide),
        floats(gates + (kMostGroups + 1) * (kWide + kHidden + kGrowth)) {}
};

/// Where everything lies in the workspace. A band is `frames` rows of 32 channels, between two rows of zeros.
struct Layout {
  size_t band;     // floats of a band
  size_t one;      // 40 bands, then what the dense blocks write
  size_t other;    // 40 bands, then the squeezed rows, then what a dense layer needs
  size_t ring;     // three bands of the first convolution
  size_t patches;  // [frames, 9]
  size_t mel;      // [80, frames + 2], centred
  size_t folded;   // three bands as convolutions take them, or a dense layer's phase
  size_t folded_band;
  size_t floats;

  explicit Layout(size_t frames)
      : band((frames + 2) * kChannels),
        one(0),
        other(40 * band),
        ring(other + std::max(40 * band, DenseLayout(halved(frames)).floats)),
        patches(ring + kTaps * band),
        mel(patches + frames * kPatch),
        folded((mel + kMel * (frames + 2) + 15) / 16 * 16),
        folded_band(FrameConvolution::folded(frames, kChannels) / 2),
        floats(folded + std::max(kTaps * folded_band,
                                 FrameConvolution::folded(halved(frames), kWide) / 2)) {}
};

constexpr size_t kHeadConvolutions = 9;
constexpr size_t kScaleFloats = 32;  // of a convolution's outputs
static_assert(kChannels == kScaleFloats && kGrowth == kScaleFloats);
constexpr size_t kHeadWeights =
    kScaleFloats + FrameConvolution::weights(kChannels, kTaps, kChannels) / 2;
constexpr size_t kLayerWeights = kScaleFloats + FrameConvolution::weights(kGrowth, 1, kWide) / 2;

/// The numbers are not negative; `count` is a multiple of 8.
float largest(size_t count, const float* x) {
  float most[8] = {};
  for (size_t i = 0; i < count; i += 8) {
    for (size_t lane = 0; lane < 8; ++lane) most[lane] = std::max(most[lane], x[i + lane]);
  }
  return *std::max_element(most, most + 8);
}

/// What sums and differences of two numbers up to `most` are folded with.
float fold_factor(float most) { return most > 0 ? FrameConvolution::kLimit / (2 * most) : 1; }

void rectify(size_t count, float* x) {
  for (size_t i = 0; i < count; ++i) x[i] = std::max(x[i], 0.0f);
}

/// Rows to their normalised and rectified copies.
void rectified_norm(size_t rows, size_t channels, const float* x, size_t stride,
                    const SpeakerNorm& norm, float* y) {
  const float* factor = norm.weight.f32();
  const float* summand = norm.bias.f32();
  for (size_t r = 0; r < rows; ++r, x += stride, y += channels) {
    for (size_t c = 0; c < channels; ++c) y[c] = std::max(x[c] * factor[c] + summand[c], 0.0f);
  }
}

}  // namespace

size_t VoiceNetwork::workspace_floats() { return Layout(kMostFrames).floats; }

VoiceNetwork::FoldedWeights VoiceNetwork::folded_weights(size_t index) {
  const size_t of_head = std::min(index, kHeadConvolutions);
  float* scales =
      folded_weights_.floats().data() + of_head * kHeadWeights + (index - of_head) * kLayerWeights;
  return {scales, reinterpret_cast<int16_t*>(scales + kScaleFloats)};
}

Status VoiceNetwork::prepare() {
  size_t layers = 0;
  for (const VoiceWeights::Dense& dense : weights_.dense) layers += dense.layers.size();
  const size_t floats = kHeadConvolutions * kHeadWeights + layers * kLayerWeights;
  SUSURRUS_ASSIGN_OR_RETURN(folded_weights_,
                            AlignedBuffer::allocate(floats * sizeof(float), "speakers"));
  float row[kTaps * kTaps * kWide];
  size_t index = 0;
  const auto fold = [&](const TensorView& weight, size_t inputs) {
    const FoldedWeights to = folded_weights(index++);
    fold_weights(weight, kScaleFloats, inputs, row, to.weights, to.scales);
  };
  for (const VoiceWeights::Block& block : weights_.blocks) {
    fold(block.first.weight, kTaps);
    fold(block.second.weight, kTaps);
  }
  fold(weights_.last.weight, kTaps);
  for (const VoiceWeights::Dense& dense : weights_.dense) {
    for (const VoiceWeights::Layer& layer : dense.layers) fold(layer.local, 1);
  }
  for (size_t n = 0; n < kChannels; ++n) {
    read_weight_row(weights_.first.weight, n, row);
    float sum = 0;
    for (size_t k = 0; k < kPatch; ++k) sum += std::fabs(row[k]);
    first_factor_ = std::max(first_factor_, sum);
    first_summand_ = std::max(first_summand_, std::fabs(weights_.first.bias.f32()[n]));
  }
  return ok_status();
}

void VoiceNetwork::begin(std::span<const float> features, std::span<float> workspace,
                         std::span<float> scratch, float* out) {
  frames_ = features.size() / kMel;
  SUSURRUS_CHECK(frames_ >= kLeastFrames && frames_ <= kMostFrames);
  SUSURRUS_CHECK(workspace.size() >= workspace_floats());
  times_ = halved(frames_);
  workspace_ = workspace;
  scratch_ = scratch;
  out_ = out;
  stage_ = Stage::head;
  part_ = band_ = block_ = layer_ = layers_before_ = phase_ = row_ = ready_bands_ = folded_bands_ =
      0;
  const Layout layout(frames_);
  // The rows of zeros around each band, which nothing writes to.
  const auto surround = [&](size_t first, size_t count) {
    float* row = workspace_.data() + first;
    for (size_t band = 0; band < count; ++band, row += layout.band) {
      std::fill_n(row, kChannels, 0.0f);
      std::fill_n(row + layout.band - kChannels, kChannels, 0.0f);
    }
  };
  surround(layout.one, 40);
  surround(layout.other, 40);
  surround(layout.ring, kTaps);
  centre(features);
}

/// Takes each bin's mean away, and turns [frames, bins] to bins of frames between two zeros.
void VoiceNetwork::centre(std::span<const float> features) {
  double sums[kMel] = {};
  for (size_t f = 0; f < frames_; ++f) {
    for (size_t b = 0; b < kMel; ++b) sums[b] += static_cast<double>(features[f * kMel + b]);
  }
  float* row = workspace_.data() + Layout(frames_).mel;
  float most = 0;
  for (size_t b = 0; b < kMel; ++b, row += frames_ + 2) {
    const auto mean = static_cast<float>(sums[b] / static_cast<double>(frames_));
    row[0] = row[frames_ + 1] = 0;
    for (size_t f = 0; f < frames_; ++f) {
      row[f + 1] = features[f * kMel + b] - mean;
      most = std::max(most, std::fabs(row[f + 1]));
    }
  }
  fold_factor_ = fold_factor(most * first_factor_ + first_summand_);
}

bool VoiceNetwork::step() {
  switch (stage_) {
    case Stage::head:
      if (advance_head()) stage_ = Stage::squeeze;
      break;
    case Stage::squeeze:
      if (squeeze()) stage_ = Stage::wide;
      break;
    case Stage::wide:
      if (widen()) stage_ = Stage::local;
      break;
    case Stage::local:
      grow();
      stage_ = ++layer_ < dense().layers.size() ? Stage::wide : Stage::half;
      break;
    case Stage::half:
      if (!halve()) break;
      layers_before_ += layer_;
      layer_ = 0;
      stage_ = ++block_ < weights_.dense.size() ? Stage::wide : Stage::vector;
      break;
    case Stage::vector:
      describe();
      stage_ = Stage::done;
      break;
    case Stage::done: break;
  }
  return stage_ != Stage::done;
}

void VoiceNetwork::product(const SpeakerProduct& product, size_t rows, const float* x,
                           size_t x_stride, float* y, size_t y_stride, Epilogue epilogue) const {
  kernels_.linear({.rows = rows,
                   .x = x,
                   .x_stride = x_stride,
                   .weight = product.weight,
                   .bias = product.bias.empty() ? nullptr : product.bias.f32(),
                   .y = y,
                   .y_stride = y_stride,
                   .epilogue = epilogue,
                   .scratch = scratch_});
}

/// A band of the first convolution; of three that follow each other, all stay.
const float* VoiceNetwork::first_band(size_t band) {
  const Layout layout(frames_);
  float* ring = workspace_.data() + layout.ring;
  float* patches = workspace_.data() + layout.patches;
  for (; ready_bands_ <= band; ++ready_bands_) {
    for (size_t tap = 0; tap < kTaps; ++tap) {
      const bool is_inside = ready_bands_ + tap >= 1 && ready_bands_ + tap <= kMel;
      const size_t from = is_inside ? ready_bands_ + tap - 1 : 0;
      const float* mel = workspace_.data() + layout.mel + from * (frames_ + 2);
      for (size_t f = 0; f < frames_; ++f) {
        for (size_t t = 0; t < kTaps; ++t) {
          patches[f * kPatch + tap * kTaps + t] = is_inside ? mel[f + t] : 0.0f;
        }
      }
    }
    float* y = ring + ready_bands_ % kTaps * layout.band + kChannels;
    product(weights_.first, frames_, patches, kPatch, y, kChannels);
    rectify(frames_ * kChannels, y);
  }
  return ring + band % kTaps * layout.band;
}

/// A band of those that a convolution reads, as it takes them: those of the first convolution where `bands` is null. Of three that
/// follow each other, all stay.
const int16_t* VoiceNetwork::folded_band(const float* bands, size_t band) {
  const Layout layout(frames_);
  const auto place = [&](size_t i) {
    return reinterpret_cast<int16_t*>(workspace_.data() + layout.folded +
                                      i % kTaps * layout.folded_band);
  };
  for (; folded_bands_ <= band; ++folded_bands_) {
    const float* x =
        bands == nullptr ? first_band(folded_bands_) : bands + folded_bands_ * layout.band;
    kernels_.fold_frames({.rows = frames_,
                          .channels = kChannels,
                          .x = x + kChannels,
                          .x_stride = kChannels,
                          .factor = fold_factor_,
                          .out = place(folded_bands_)});
  }
  return place(band);
}

/// A band of a 3×3 convolution, from three of `count` bands around `middle`.
void VoiceNetwork::convolve_band(const SpeakerProduct& weights, const float* bands, size_t count,
                                 size_t middle, float* y, size_t y_stride, bool accumulates) {
  if (band_ == 0 && bands != nullptr) {
    fold_factor_ = fold_factor(largest(count * Layout(frames_).band, bands));
  }
  const int16_t* inputs[kTaps] = {};
  for (size_t tap = 0; tap < kTaps; ++tap) {
    if (middle + tap < 1 || middle + tap > count) continue;
    inputs[tap] = folded_band(bands, middle + tap - 1);
  }
  const FoldedWeights folded = folded_weights(part_);
  kernels_.convolve_frames({.rows = frames_,
                            .channels = kChannels,
                            .outputs = kChannels,
                            .inputs = inputs,
                            .weights = folded.weights,
                            .scales = folded.scales,
                            .scale = 1 / fold_factor_,
                            .bias = weights.bias.f32(),
                            .y = y,
                            .y_stride = y_stride,
                            .accumulates = accumulates});
}

/// A band of one of the nine convolutions behind the first: two for each residual block, and the last.
bool VoiceNetwork::advance_head() {
  const Layout layout(frames_);
  const size_t block = part_ / 2;
  const bool is_second = part_ % 2 == 1;
  float* other = workspace_.data() + layout.other;
  // In the second half of the head, what is inside a block and what it gives both fit in the first memory.
  float* inner = workspace_.data() + layout.one;
  float* outer = block < 2 ? other : inner + kBands[2] * layout.band;
  if (block == weights_.blocks.size()) {
    convolve_band(weights_.last, outer, kBands[block - 1], 2 * band_,
                  other + kMargin * kSqueezed + band_ * kChannels, kSqueezed, false);
    return ++band_ == kLastBands;
  }
  const VoiceWeights::Block& weights = weights_.blocks[block];
  const size_t place = band_ * layout.band + kChannels;
  float* y = (is_second ? outer : inner) + place;
  if (is_second) {
    convolve_band(weights.second, inner, kBands[block], band_, y, kChannels, true);
  } else if (weights.shortcut.empty()) {
    convolve_band(weights.first, outer, kBands[block], band_, y, kChannels, false);
  } else {
    const float* bands = block == 0 ? nullptr : other;
    convolve_band(weights.first, bands, 2 * kBands[block], 2 * band_, y, kChannels, false);
    const float* middle = block == 0 ? first_band(2 * band_) : bands + 2 * band_ * layout.band;
    product({weights.shortcut, {}}, frames_, middle + kChannels, kChannels, outer + place,
            kChannels);
  }
  rectify(frames_ * kChannels, y);
  if (++band_ == kBands[block]) {
    band_ = folded_bands_ = 0;
    ++part_;
  }
  return false;
}

/// Two frames to a time, from what the head gave.
bool VoiceNetwork::squeeze() {
  float* squeezed = workspace_.data() + Layout(frames_).other;
  if (row_ == 0) {
    const size_t count = frames_ * kSqueezed;
    rectify(count, squeezed + kMargin * kSqueezed);
    std::fill_n(squeezed, kMargin * kSqueezed, 0.0f);
    std::fill_n(squeezed + kMargin * kSqueezed + count, kMargin * kSqueezed, 0.0f);
  }
  const size_t rows = std::min(kChunk, times_ - row_);
  const size_t stride = channel_stride(0);
  float* y = channels_of(0) + row_ * stride;
  product(weights_.tdnn, rows, squeezed + row_ * 2 * kSqueezed, 2 * kSqueezed, y, stride);
  for (size_t r = 0; r < rows; ++r) rectify(kWide, y + r * stride);
  return advance(rows, times_);
}

bool VoiceNetwork::advance(size_t rows, size_t all) {
  row_ += rows;
  if (row_ < all) return false;
  row_ = 0;
  return true;
}

size_t VoiceNetwork::channel_stride(size_t block) const {
  return block == weights_.dense.size() ? 512 : weights_.dense[block].all_channels();
}

float* VoiceNetwork::channels_of(size_t block) const {
  // What the last block gives lies where the first one's channels were.
  size_t place = 0;
  for (size_t b = 0; b < block && block < weights_.dense.size(); ++b) place += channel_stride(b);
  return workspace_.data() + Layout(frames_).one + place * times_;
}

/// Times of a phase of the dilation, which `local` reads as if they were neighbours.
size_t VoiceNetwork::phase_times(size_t phase) const {
  return (times_ - phase + dense().dilation - 1) / dense().dilation;
}

/// Those of `wide`, behind a row of zeros.
float* VoiceNetwork::phase_rows(size_t phase) const {
  float* wide = workspace_.data() + Layout(frames_).other + DenseLayout(times_).wide;
  return wide + (phase * (phase_times(0) + 2) + 1) * kWide;
}

bool VoiceNetwork::widen() {
  const VoiceWeights::Layer& layer = dense().layers[layer_];
  const size_t channels = dense().channels + layer_ * kGrowth;
  const size_t stride = channel_stride(block_);
  const size_t all = phase_times(phase_);
  const size_t rows = std::min(kChunk, all - row_);
  const float* x = channels_of(block_) + (phase_ + row_ * dense().dilation) * stride;
  float* normalised = workspace_.data() + Layout(frames_).other + DenseLayout(times_).normalised;
  rectified_norm(rows, channels, x, dense().dilation * stride, layer.norm, normalised);
  float* wide = phase_rows(phase_);
  product(layer.wide, rows, normalised, channels, wide + row_ * kWide, kWide);
  rectify(rows * kWide, wide + row_ * kWide);
  if (!advance(rows, all)) return false;
  std::fill_n(wide - kWide, kWide, 0.0f);
  std::fill_n(wide + all * kWide, kWide, 0.0f);
  if (++phase_ < dense().dilation) return false;
  phase_ = 0;
  return true;
}

/// New channels, each times a gate that knows all times and the hundred around it.
void VoiceNetwork::grow() {
  const VoiceWeights::Layer& layer = dense().layers[layer_];
  const size_t dilation = dense().dilation;
  const size_t stride = channel_stride(block_);
  float* fresh = channels_of(block_) + dense().channels + layer_ * kGrowth;
  float* means = workspace_.data() + Layout(frames_).other + DenseLayout(times_).gates;
  const size_t groups = (times_ + kGroup - 1) / kGroup;
  float* hidden = means + (kMostGroups + 1) * kWide;
  float* gates = hidden + kMostGroups * kHidden;

  const FoldedWeights weights = folded_weights(kHeadConvolutions + layers_before_ + layer_);
  std::fill_n(means, (groups + 1) * kWide, 0.0f);
  for (size_t phase = 0; phase < dilation; ++phase) {
    const float* wide = phase_rows(phase);
    const size_t count = phase_times(phase);
    const float factor = fold_factor(largest(count * kWide, wide));
    auto* folded = reinterpret_cast<int16_t*>(workspace_.data() + Layout(frames_).folded);
    kernels_.fold_frames({.rows = count,
                          .channels = kWide,
                          .x = wide,
                          .x_stride = kWide,
                          .factor = factor,
                          .out = folded});
    const int16_t* const inputs[] = {folded};
    kernels_.convolve_frames({.rows = count,
                              .channels = kWide,
                              .outputs = kGrowth,
                              .inputs = inputs,
                              .weights = weights.weights,
                              .scales = weights.scales,
                              .scale = 1 / factor,
                              .y = fresh + phase * stride,
                              .y_stride = dilation * stride});
    for (size_t i = 0; i < count; ++i, wide += kWide) {
      float* sums = means + (phase + i * dilation) / kGroup * kWide;
      for (size_t c = 0; c < kWide; ++c) sums[c] += wide[c];
    }
  }
  float* whole = means + groups * kWide;
  for (size_t g = 0; g < groups; ++g) {
    for (size_t c = 0; c < kWide; ++c) whole[c] += means[g * kWide + c];
  }
  const float share = 1.0f / static_cast<float>(times_);
  for (size_t g = 0; g < groups; ++g) {
    const float own = 1.0f / static_cast<float>(std::min(kGroup, times_ - g * kGroup));
    float* mean = means + g * kWide;
    for (size_t c = 0; c < kWide; ++c) mean[c] = mean[c] * own + whole[c] * share;
  }
  product(layer.gate[0], groups, means, kWide, hidden, kHidden);
  rectify(groups * kHidden, hidden);
  product(layer.gate[1], groups, hidden, kHidden, gates, kGrowth);
  kernels_.sigmoid(groups * kGrowth, gates, gates);
  for (size_t t = 0; t < times_; ++t) {
    const float* gate = gates + t / kGroup * kGrowth;
    float* row = fresh + t * stride;
    for (size_t c = 0; c < kGrowth; ++c) row[c] *= gate[c];
  }
}

bool VoiceNetwork::halve() {
  const size_t channels = channel_stride(block_);
  const size_t rows = std::min(kChunk, times_ - row_);
  float* normalised = workspace_.data() + Layout(frames_).other + DenseLayout(times_).normalised;
  rectified_norm(rows, channels, channels_of(block_) + row_ * channels, channels, dense().norm,
                 normalised);
  const size_t stride = channel_stride(block_ + 1);
  float* y = channels_of(block_ + 1) + row_ * stride;
  product(dense().half, rows, normalised, channels, y, stride);
  // Only the last one's normalisation is known here, and part of the product.
  if (!dense().half.bias.empty()) rectify(rows * stride, y);
  return advance(rows, times_);
}

void VoiceNetwork::describe() {
  const size_t channels = channel_stride(block_);
  const float* rows = channels_of(block_);
  float* statistics = workspace_.data() + Layout(frames_).other;
  for (size_t c = 0; c < channels; ++c) {
    double sum = 0;
    for (size_t t = 0; t < times_; ++t) sum += static_cast<double>(rows[t * channels + c]);
    const double mean = sum / static_cast<double>(times_);
    double squares = 0;
    for (size_t t = 0; t < times_; ++t) {
      const double away = static_cast<double>(rows[t * channels + c]) - mean;
      squares += away * away;
    }
    statistics[c] = static_cast<float>(mean);
    statistics[channels + c] =
        static_cast<float>(std::sqrt(squares / static_cast<double>(times_ - 1)));
  }
  product(weights_.vector, 1, statistics, 2 * channels, out_, SpeakerNetworks::kVectorSize);
}

}  // namespace susurrus
