#include "families/whisper/sequence_cache.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "families/whisper/decoder_trace.h"

namespace susurrus {

Result<SequencePlan> SequencePlan::make(const WhisperDimensions& d, size_t count,
                                        size_t tokens_each) {
  SequencePlan plan;
  MemoryLayout layout;
  plan.kv = layout.place({d.n_text_layer, 2, count, tokens_each, d.n_text_state});
  plan.tables = layout.place({2, count, tokens_each});
  if (count > kTraceLogitRows) plan.logits = layout.place({count, d.n_vocab});
  plan.float_count = layout.end();
  if (layout.has_overflowed()) {
    return make_error(ErrorCode::out_of_memory, ErrorReason::memory).with_subject("sequences");
  }
  return plan;
}

Status SequenceCache::reserve(const WhisperDimensions& d, size_t count, size_t tokens_each) {
  if (count == 1) {
    *this = SequenceCache();
    return ok_status();
  }
  if (count != capacity_ || tokens_each != tokens_each_) {
    SUSURRUS_ASSIGN_OR_RETURN(SequencePlan plan, SequencePlan::make(d, count, tokens_each));
    SUSURRUS_ASSIGN_OR_RETURN(AlignedBuffer memory,
                              AlignedBuffer::allocate(plan.byte_count(), "sequences"));
    memory_ = std::move(memory);
    plan_ = plan;
    state_size_ = d.n_text_state;
    capacity_ = count;
    tokens_each_ = tokens_each;
  }
  clear();
  return ok_status();
}

void SequenceCache::clear() {
  count_ = 1;
  length_ = 0;
  next_row_ = 0;
}

void SequenceCache::fork(std::span<const uint32_t> sources) {
  SUSURRUS_CHECK(!sources.empty() && sources.size() <= capacity_);
  for (uint32_t source : sources) SUSURRUS_CHECK(source < count_);
  count_ = sources.size();
  if (length_ == 0) return;
  const uint32_t* from = table(current_table_);
  current_table_ = 1 - current_table_;
  uint32_t* to = table(current_table_);
  for (size_t i = 0; i < count_; ++i) {
    std::copy_n(from + sources[i] * tokens_each_, length_, to + i * tokens_each_);
  }
}

size_t SequenceCache::place_tokens() {
  SUSURRUS_CHECK(length_ < tokens_each_);
  uint32_t* rows = table(current_table_);
  for (size_t i = 0; i < count_; ++i) {
    rows[i * tokens_each_ + length_] = static_cast<uint32_t>(next_row_ + i);
  }
  return next_row_;
}

void SequenceCache::keep_tokens() {
  ++length_;
  next_row_ += count_;
}

}  // namespace susurrus
