#pragma once
#include <algorithm>

#include "base/result.h"
#include "tensor/weight_store.h"

namespace susurrus {

/// Bytes that a Whisper takes in an engine, known before its first weight comes.
struct LoadPlan {
  /// What Engine::memory_plan() says once the model is loaded.
  uint64_t weight_bytes = 0;
  uint64_t kv_cache_bytes = 0;
  uint64_t activation_bytes = 0;
  /// Held while a window is decoded with that many beams or samples (SequencePlan).
  uint64_t sequence_bytes = 0;
  /// Held, at most, while the times of a window's words are found.
  uint64_t word_bytes = 0;
  /// Tokenizer, filterbank, reading the file, and room for arriving audio.
  uint64_t overhead_bytes = 0;

  uint64_t model_bytes() const { return weight_bytes + kv_cache_bytes + activation_bytes; }
  /// Words are looked for when the beams are gone.
  uint64_t peak_bytes() const {
    return model_bytes() + std::max(sequence_bytes, word_bytes) + overhead_bytes;
  }
};

/// `store` has the manifests of a whole Whisper and its dimensions. `threads`: of the engine; `sequences`: beams or samples
/// at once, each of the usual length, half of the text context. out_of_memory: what cannot be counted.
Result<LoadPlan> plan_load(const WeightStore& store, WeightLayout packed_layout, size_t threads,
                           size_t sequences);

}  // namespace susurrus
