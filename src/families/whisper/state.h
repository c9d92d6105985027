#pragma once
#include <span>

#include "base/aligned_buffer.h"
#include "base/result.h"
#include "container/model_metadata.h"
#include "families/whisper/decoder_trace.h"
#include "families/whisper/memory_layout.h"
#include "kernels/kernel_table.h"
#include "tensor/tensor_view.h"

namespace susurrus {

/// Rows of decoder input computed together while a prompt is read.
inline constexpr size_t kDecoderBlockRows = 64;
/// Sequences that one pass can go on with: their rows are one block.
inline constexpr size_t kMaxSequences = kDecoderBlockRows;

/// Where everything lies that a Whisper writes while it computes: offsets in floats, each a multiple of 16, in two
/// blocks. Made from the dimensions alone, so an application can know the sizes before it downloads a model.
/// S state, M mels, T audio context, C text context, V vocabulary, L decoder layers, B kDecoderBlockRows, R
/// kTraceLogitRows, H heads, K bytes of a head's Int8KvLayout (about 1.2 for each value).
struct StatePlan {
  using Region = MemoryRegion;
  // The block of KV caches. Per layer: keys, then values.
  Region self_kv;   // (L, 2, C, S)
  Region cross_kv;  // (L, 2, T, S), or as integers (L, H, K)
  uint64_t kv_float_count = 0;

  // The block of activations.
  Region
      mel;  // (2T + 2, M): a window of log-mel between the two zero rows of the convolution's padding; after them more zeros, since rows padded to whole blocks read on
  Region audio;    // (T, S): the encoder's residual stream, in the end its output
  Region kernel;   // scratch of the kernels, of all threads
  Region vectors;  // two expanded biases, gains or rows of up to 4S
  Region tokens;   // C ids, or one of each sequence
  // From here on three uses share the same place: encoder, decoder, samples.
  Region normed;  // (T, S): encoder
  Region
      wide;  // encoder: conv1's output (2T + 2, S); then q, k, v (T, S) each, or k, v, and after them q; then the MLP's hidden rows
  Region audio_kv;  // as integers (H, K), or nothing: a layer's keys and values
  uint64_t mlp_rows = 0;
  Region text;         // (B, S): the decoder's residual stream
  Region text_normed;  // (B, S)
  Region text_query;   // (B, S)
  Region text_hidden;  // (B, 4S)
  Region logits;       // (R, V)
  Region samples;      // 2T * 160 + 400
  uint64_t activation_float_count = 0;

  /// How integers of the sound's keys and values are ordered; rows: they are f32.
  WeightLayout kv_layout = WeightLayout::rows;

  /// `threads`: how many compute, each with scratch memory of its own; 0: as many as this program has.
  static Result<StatePlan> make(const WhisperDimensions& dimensions,
                                WeightLayout kv_layout = WeightLayout::rows, size_t threads = 0);
  uint64_t kv_byte_count() const { return kv_float_count * sizeof(float); }
  uint64_t activation_byte_count() const { return activation_float_count * sizeof(float); }
};

/// The memory of a StatePlan, reserved once; nothing in it moves or grows.
class WhisperState {
 public:
  static Result<WhisperState> create(const WhisperDimensions& dimensions,
                                     WeightLayout kv_layout = WeightLayout::rows);

  const StatePlan& plan() const { return plan_; }
  const WhisperDimensions& dimensions() const { return dimensions_; }

  std::span<float> activation(const StatePlan::Region& region) {
    return activations_.floats().subspan(region.offset, region.count);
  }
  std::span<const float> activation(const StatePlan::Region& region) const {
    return activations_.floats().subspan(region.offset, region.count);
  }
  std::span<float> kernel_scratch() { return activation(plan_.kernel); }
  std::span<uint32_t> tokens() {
    auto floats = activation(plan_.tokens);
    return {reinterpret_cast<uint32_t*>(floats.data()), floats.size()};
  }
  /// Positions of the last encoding, or of the one under way: 1 … T. Cross-attention looks at no others.
  size_t encoded_positions() const { return encoded_positions_; }
  void set_encoded_positions(size_t positions) { encoded_positions_ = positions; }
  /// One layer's keys and values, rows of S floats.
  float* self_keys(size_t layer) { return kv(plan_.self_kv, dimensions_.n_text_ctx, 2 * layer); }
  float* self_values(size_t layer) {
    return kv(plan_.self_kv, dimensions_.n_text_ctx, 2 * layer + 1);
  }
  /// Whether the sound's keys and values are integers; then there are no f32 ones.
  bool has_int8_kv() const { return plan_.kv_layout != WeightLayout::rows; }
  /// Keys and values of the encoder layer in progress.
  Int8Kv audio_kv() { return int8_kv(activation(plan_.audio_kv).data()); }
  Int8Kv cross_kv(size_t layer) {
    return int8_kv(kv_.floats().data() + plan_.cross_kv.offset +
                   layer * (plan_.cross_kv.count / dimensions_.n_text_layer));
  }
  float* cross_keys(size_t layer) { return kv(plan_.cross_kv, dimensions_.n_audio_ctx, 2 * layer); }
  float* cross_values(size_t layer) {
    return kv(plan_.cross_kv, dimensions_.n_audio_ctx, 2 * layer + 1);
  }

  /// `vector` as f32: itself, or expanded into one of two places (`slot` 0 or 1), where it stays until the next use.
  /// Empty gives nullptr.
  const float* as_f32(const TensorView& vector, size_t slot, const KernelTable& kernels);

 private:
  Int8Kv int8_kv(float* place) const {
    return {reinterpret_cast<uint8_t*>(place), plan_.kv_layout};
  }
  float* kv(const StatePlan::Region& region, size_t rows, size_t index) {
    return kv_.floats().data() + region.offset + index * rows * dimensions_.n_text_state;
  }

  StatePlan plan_;
  WhisperDimensions dimensions_;
  size_t encoded_positions_ = 0;
  AlignedBuffer kv_;
  AlignedBuffer activations_;
};

}  // namespace susurrus
