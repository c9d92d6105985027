#include "families/whisper/state.h"

#include <algorithm>

#include "facts/whisper.h"
#include "kernels/scratch_layout.h"
#include "parallel/divide.h"

namespace susurrus {
namespace {

uint64_t kernel_scratch_floats(const WhisperDimensions& d, bool has_int8_kv) {
  size_t state = d.n_audio_state;
  size_t linear = std::max({linear_scratch_floats(4 * state), linear_scratch_floats(3 * state),
                            linear_scratch_floats(round_up(size_t{3} * d.n_mels, kBlockValues)),
                            linear_scratch_floats(state)});
  const auto floats = has_int8_kv ? int8_attention_scratch_floats : attention_scratch_floats;
  size_t attention = std::max(floats(d.n_audio_ctx, state / d.n_audio_head),
                              floats(d.n_audio_ctx, state / d.n_text_head));
  attention = std::max(attention, attention_scratch_floats(d.n_text_ctx, state / d.n_text_head));
  return std::max(linear, attention);
}

/// Keys and values of a layer as integers.
uint64_t int8_kv_floats(const WhisperDimensions& d, uint64_t heads) {
  return heads * (Int8KvLayout(d.n_audio_ctx, d.n_audio_state / heads).head_bytes / sizeof(float));
}

}  // namespace

Result<StatePlan> StatePlan::make(const WhisperDimensions& d, WeightLayout kv_layout,
                                  size_t threads) {
  if (threads == 0) threads = thread_count();
  const uint64_t state = d.n_audio_state;
  const uint64_t frames = 2 * uint64_t{d.n_audio_ctx};
  const bool has_int8_kv = kv_layout != WeightLayout::rows;
  StatePlan plan;
  plan.kv_layout = kv_layout;
  MemoryLayout kv;
  plan.self_kv = kv.place({d.n_text_layer, 2, d.n_text_ctx, state});
  plan.cross_kv = has_int8_kv ? kv.place({d.n_text_layer, int8_kv_floats(d, d.n_text_head)})
                              : kv.place({d.n_text_layer, 2, d.n_audio_ctx, state});
  plan.kv_float_count = kv.end();

  MemoryLayout shared;
  plan.mel = shared.place({frames + 2 + kBlockValues, d.n_mels});
  plan.audio = shared.place({d.n_audio_ctx, state});
  // Each thread's part is whole cache lines.
  plan.kernel = shared.place({threads, (kernel_scratch_floats(d, has_int8_kv) + 15) / 16, 16});
  plan.vectors = shared.place({2, 4, state});
  plan.tokens = shared.place({std::max<uint64_t>(d.n_text_ctx, kMaxSequences)});

  MemoryLayout encoder(shared.end());
  plan.normed = encoder.place({d.n_audio_ctx, state});
  plan.mlp_rows = (uint64_t{d.n_audio_ctx} + 1) / 2;
  uint64_t wide_rows = std::max(frames + 2, 4 * plan.mlp_rows);
  if (!has_int8_kv) wide_rows = std::max(wide_rows, 3 * uint64_t{d.n_audio_ctx});
  plan.wide = encoder.place({wide_rows, state});
  if (has_int8_kv) plan.audio_kv = encoder.place({int8_kv_floats(d, d.n_audio_head)});

  MemoryLayout decoder(shared.end());
  plan.text = decoder.place({kDecoderBlockRows, state});
  plan.text_normed = decoder.place({kDecoderBlockRows, state});
  plan.text_query = decoder.place({kDecoderBlockRows, state});
  plan.text_hidden = decoder.place({kDecoderBlockRows, 4, state});
  plan.logits = decoder.place({kTraceLogitRows, d.n_vocab});

  MemoryLayout samples(shared.end());
  plan.samples = samples.place({frames * kHopSamples + kFftSize});

  plan.activation_float_count = std::max({encoder.end(), decoder.end(), samples.end()});
  if (kv.has_overflowed() || shared.has_overflowed() || encoder.has_overflowed() ||
      decoder.has_overflowed() || samples.has_overflowed()) {
    return make_error(ErrorCode::out_of_memory, ErrorReason::memory).with_subject("activations");
  }
  return plan;
}

Result<WhisperState> WhisperState::create(const WhisperDimensions& dimensions,
                                          WeightLayout kv_layout) {
  WhisperState state;
  state.dimensions_ = dimensions;
  state.encoded_positions_ = dimensions.n_audio_ctx;
  SUSURRUS_ASSIGN_OR_RETURN(state.plan_, StatePlan::make(dimensions, kv_layout));
  SUSURRUS_ASSIGN_OR_RETURN(state.kv_,
                            AlignedBuffer::allocate(state.plan_.kv_byte_count(), "KV caches"));
  SUSURRUS_ASSIGN_OR_RETURN(
      state.activations_,
      AlignedBuffer::allocate(state.plan_.activation_byte_count(), "activations"));
  // The padding around the mel window stays zero from here on.
  std::span<float> mel = state.activation(state.plan_.mel);
  std::fill(mel.begin(), mel.end(), 0.0f);
  return state;
}

const float* WhisperState::as_f32(const TensorView& vector, size_t slot,
                                  const KernelTable& kernels) {
  if (vector.empty()) return nullptr;
  if (vector.dtype == Dtype::f32) return vector.f32();
  std::span<float> slots = activation(plan_.vectors);
  std::span<float> place = slots.subspan(slot * (slots.size() / 2), slots.size() / 2);
  auto count = static_cast<size_t>(vector.shape.element_count().value_or(0));
  SUSURRUS_CHECK(count <= place.size());
  kernels.dequantize_row(vector.dtype, vector.data, count, place.data());
  return place.data();
}

}  // namespace susurrus
