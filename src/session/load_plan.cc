#include "session/load_plan.h"

#include "families/whisper/sequence_cache.h"
#include "families/whisper/state.h"

namespace susurrus {
namespace {

/// Memory for one token: its text, its places in the tokenizer's tables and, while the file is
/// read, its text as JSON.
constexpr uint64_t kTokenBytes = 96;
/// Windows through which bytes come, filterbank and resampler, a piece of audio, and what the allocator leaves unused.
constexpr uint64_t kFixedOverheadBytes = 8 << 20;

/// The decoder's queries of one pass, and twice the attention of its tokens (word_aligner.cc).
uint64_t word_byte_count(const WhisperDimensions& d) {
  const uint64_t queries = (uint64_t{d.n_text_layer} + 1) * d.n_text_ctx * d.n_text_state;
  return (queries + 2 * uint64_t{d.n_text_ctx} * d.n_audio_ctx) * sizeof(float);
}

}  // namespace

Result<LoadPlan> plan_load(const WeightStore& store, WeightLayout packed_layout, size_t threads,
                           size_t sequences) {
  const WhisperDimensions& d = store.metadata().whisper()->dimensions;
  const auto layout = store.has_packed_layers() ? packed_layout : WeightLayout::rows;
  SUSURRUS_ASSIGN_OR_RETURN(const StatePlan state, StatePlan::make(d, layout, threads));
  LoadPlan plan;
  plan.weight_bytes = store.planned_byte_count();
  plan.kv_cache_bytes = state.kv_byte_count();
  plan.activation_bytes = state.activation_byte_count();
  if (sequences > 1) {
    SUSURRUS_ASSIGN_OR_RETURN(const SequencePlan held,
                              SequencePlan::make(d, sequences, (d.n_text_ctx + 1) / 2));
    plan.sequence_bytes = held.byte_count();
  }
  plan.word_bytes = word_byte_count(d);
  plan.overhead_bytes = kFixedOverheadBytes + kTokenBytes * d.n_vocab;
  return plan;
}

}  // namespace susurrus
