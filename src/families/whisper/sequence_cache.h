#pragma once
#include <span>

#include "base/aligned_buffer.h"
#include "base/result.h"
#include "container/model_metadata.h"
#include "families/whisper/memory_layout.h"

namespace susurrus {

/// Memory for sequences that share a prompt and go on apart. S state, V vocabulary, L decoder layers, N sequences, n tokens
/// of each. Every token of every sequence has a row of its own that stays where it is: 8 · L · S · N · n bytes and little more
/// (5 beams of 224 tokens: base 28 MB, large 367 MB).
struct SequencePlan {
  MemoryRegion kv;  // (L, 2, N * n, S): per layer keys, then values
  MemoryRegion
      tables;  // (2, N, n): for each sequence the row of each of its tokens, twice to permute from one to the other
  MemoryRegion logits;  // (N, V) where the state's are too few, else nothing
  uint64_t float_count = 0;

  /// out_of_memory beyond what can be addressed
  static Result<SequencePlan> make(const WhisperDimensions& dimensions, size_t count,
                                   size_t tokens_each);
  uint64_t byte_count() const { return float_count * sizeof(float); }
};

/// Which sequences there are, and the self-attention keys and values of the tokens that only some of them have read.
class SequenceCache {
 public:
  /// Takes the memory for `count` sequences, or gives it back when that is 1; unless this fails, there is one sequence without
  /// tokens of its own afterwards.
  Status reserve(const WhisperDimensions& dimensions, size_t count, size_t tokens_each);
  /// One sequence without tokens of its own.
  void clear();

  bool is_reserved() const { return capacity_ > 1; }
  uint64_t byte_count() const { return memory_.byte_count(); }
  /// Most sequences, and most tokens of each.
  size_t capacity() const { return capacity_; }
  size_t tokens_each() const { return tokens_each_; }
  /// Sequences now, and tokens that each has of its own.
  size_t count() const { return count_; }
  size_t length() const { return length_; }

  /// Sequence i becomes what was sequence sources[i]: tables are permuted, rows stay where they are.
  void fork(std::span<const uint32_t> sources);
  /// Gives the next token of every sequence its row: neighbours, from the row answered on.
  size_t place_tokens();
  /// The tokens placed last have been read.
  void keep_tokens();

  /// One layer's keys and values, rows of S floats.
  float* keys(size_t layer) { return kv(2 * layer); }
  float* values(size_t layer) { return kv(2 * layer + 1); }
  /// The row of each token of each sequence, tokens_each() apart.
  const uint32_t* rows() { return table(current_table_); }
  /// (capacity, V), or null where the state's are enough.
  float* logits() { return plan_.logits.count == 0 ? nullptr : at(plan_.logits); }

 private:
  float* at(const MemoryRegion& region) { return memory_.floats().data() + region.offset; }
  float* kv(size_t index) { return at(plan_.kv) + index * capacity_ * tokens_each_ * state_size_; }
  uint32_t* table(size_t index) {
    return reinterpret_cast<uint32_t*>(at(plan_.tables)) + index * capacity_ * tokens_each_;
  }

  AlignedBuffer memory_;
  SequencePlan plan_;
  size_t state_size_ = 0;
  size_t capacity_ = 1;
  size_t tokens_each_ = 0;
  size_t count_ = 1;
  size_t length_ = 0;
  size_t next_row_ = 0;
  size_t current_table_ = 0;
};

}  // namespace susurrus
