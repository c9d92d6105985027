#include "decode/timestamp_rules.h"

#include <algorithm>

#include "decode/log_probability.h"

namespace susurrus {

void TimestampRules::apply(std::span<float> logits, std::span<const uint32_t> sampled) const {
  const uint64_t begin = std::min<uint64_t>(special_.timestamp_begin, logits.size());
  const uint64_t end = std::min<uint64_t>(begin + special_.timestamp_count, logits.size());
  forbid_range(logits, special_.no_timestamps, uint64_t{special_.no_timestamps} + 1);
  if (sampled.empty()) {
    forbid_range(logits, 0, begin);
    forbid_range(logits, end, logits.size());
    if (max_initial_index_) forbid_range(logits, begin + *max_initial_index_ + 1, end);
  } else {
    keep_order(logits, sampled);
  }
  if (last_index_) keep_inside(logits, sampled);

  // Ids past the timestamps, in an enlarged vocabulary, count as text.
  const float best_text = std::max(largest_logit(kernels_, logits.first(begin)).logit,
                                   largest_logit(kernels_, logits.subspan(end)).logit);
  if (log_sum_exp(kernels_, logits.subspan(begin, end - begin)) > best_text) {
    forbid_range(logits, 0, begin);
    forbid_range(logits, end, logits.size());
  }
}

void TimestampRules::keep_order(std::span<float> logits, std::span<const uint32_t> sampled) const {
  const uint64_t begin = special_.timestamp_begin;
  const uint64_t end = begin + special_.timestamp_count;
  const bool ends_in_timestamp = special_.is_timestamp(sampled.back());
  // A timestamp at the very beginning opens a segment, as if another one stood before it.
  const bool is_opening = ends_in_timestamp && (sampled.size() < 2 ||
                                                special_.is_timestamp(sampled[sampled.size() - 2]));
  if (is_opening) {
    forbid_range(logits, begin, end);
  } else if (ends_in_timestamp) {
    forbid_range(logits, 0, special_.end_of_text);
  }

  for (size_t i = sampled.size(); i-- > 0;) {
    if (!special_.is_timestamp(sampled[i])) continue;
    // The end of one segment may be the beginning of the next; otherwise time moves on.
    const bool may_repeat = ends_in_timestamp && !is_opening;
    forbid_range(logits, begin, uint64_t{sampled[i]} + (may_repeat ? 0 : 1));
    break;
  }
}

void TimestampRules::keep_inside(std::span<float> logits, std::span<const uint32_t> sampled) const {
  const uint64_t begin = special_.timestamp_begin;
  const uint64_t last = begin + *last_index_;
  // A timestamp closes a segment if text stands before it, else it opens one.
  const bool may_close = !sampled.empty() && !special_.is_timestamp(sampled.back());
  forbid_range(logits, may_close ? last + 1 : last, begin + special_.timestamp_count);
  const bool is_closed = sampled.size() >= 2 && special_.is_timestamp(sampled.back()) &&
                         !special_.is_timestamp(sampled[sampled.size() - 2]);
  if (is_closed && sampled.back() >= last) {
    forbid_range(logits, 0, special_.end_of_text);
    forbid_range(logits, uint64_t{special_.end_of_text} + 1, logits.size());
  }
}

}  // namespace susurrus
