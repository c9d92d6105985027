#include "decode/beam.h"

#include <algorithm>
#include <cmath>

#include "base/sort.h"

namespace susurrus {

size_t beam_candidate_count(uint32_t beam_size, std::optional<double> patience) {
  const double factor = patience.value_or(1.0) == 0 ? 1.0 : patience.value_or(1.0);
  return static_cast<size_t>(std::nearbyint(beam_size * factor));
}

BeamSearch::BeamSearch(const KernelTable& kernels, uint32_t end_of_text, size_t max_tokens,
                       uint32_t beam_size, size_t max_candidates)
    : kernels_(kernels),
      end_of_text_(end_of_text),
      max_tokens_(max_tokens),
      beam_size_(beam_size),
      max_candidates_(max_candidates),
      top_(beam_size + 1),
      finished_(max_candidates) {
  for (Beams* beams : {&now_, &next_}) {
    beams->tokens.resize(beam_size * max_tokens);
    beams->logprobs.resize(beam_size * max_tokens);
    beams->sums.reserve(beam_size);
  }
  now_.sums.push_back(0);
  continuations_.reserve(size_t{beam_size} * (beam_size + 1));
  for (TokenCandidate& one : finished_) {
    one.tokens.reserve(max_tokens);
    one.token_logprobs.reserve(max_tokens);
  }
  sources_.reserve(beam_size);
  last_tokens_.reserve(beam_size);
}

BeamSearch::BeamSearch(const KernelTable& kernels, uint32_t end_of_text, size_t max_tokens,
                       uint32_t beam_size, const std::vector<double>& open_sums)
    : BeamSearch(kernels, end_of_text, max_tokens, beam_size, 1) {
  open_sums_ = &open_sums;
}

bool BeamSearch::choose(std::span<const std::span<const float>> rows) {
  rank_continuations(rows);
  // Everything forbidden: what there is now is the end.
  if (continuations_.empty()) return true;
  next_.sums.clear();
  sources_.clear();
  last_tokens_.clear();
  for (const Continuation& continuation : continuations_) {
    if (continuation.token == end_of_text_) {
      open_sums_ ? keep_better(continuation) : add_candidate(continuation);
    } else {
      add_beam(continuation);
      if (next_.sums.size() == beam_size_) break;
    }
  }
  std::swap(now_, next_);
  ++length_;
  return is_ended();
}

bool BeamSearch::is_ended() const {
  if (now_.sums.empty() || length_ == max_tokens_) return true;
  // Tokens only make a sequence less probable.
  return open_sums_ ? best_sum_ >= now_.sums[0] : finished_count_ == max_candidates_;
}

void BeamSearch::rank_continuations(std::span<const std::span<const float>> rows) {
  continuations_.clear();
  for (size_t source = 0; source < now_.sums.size(); ++source) {
    const size_t count = top_logits(kernels_, rows[source], top_);
    if (count == 0) continue;
    const LogSoftmax log_softmax(kernels_, rows[source], top_[0].logit);
    for (const RankedLogit& top : std::span(top_).first(count)) {
      const float logprob = log_softmax(top.logit);
      const float rank =
          open_sums_ ? static_cast<float>(top.logit - (*open_sums_)[source]) : logprob;
      continuations_.push_back({now_.sums[source] + rank, logprob, static_cast<uint32_t>(source),
                                top.token, static_cast<uint32_t>(continuations_.size())});
    }
  }
  heap_sort(continuations_, [](const Continuation& a, const Continuation& b) {
    return a.sum != b.sum ? a.sum > b.sum : a.order < b.order;
  });
}

void BeamSearch::add_candidate(const Continuation& end) {
  if (finished_count_ == max_candidates_) return;
  TokenCandidate& one = finished_[finished_count_++];
  copy_beam(end.source, one);
  one.sum_logprob = end.sum;
}

void BeamSearch::keep_better(const Continuation& end) {
  if (end.sum <= best_sum_) return;
  best_sum_ = end.sum;
  finished_count_ = 1;
  copy_beam(end.source, finished_[0]);
  finished_[0].sum_logprob = add_logprob(finished_[0].sum_logprob, end.logprob);
}

/// With the sum of its tokens' log probabilities.
void BeamSearch::copy_beam(size_t source, TokenCandidate& to) const {
  const auto tokens = this->tokens(source);
  const float* logprobs = now_.logprobs.data() + source * max_tokens_;
  to.tokens.assign(tokens.begin(), tokens.end());
  to.token_logprobs.assign(logprobs, logprobs + length_);
  to.sum_logprob = 0;
  for (float logprob : to.token_logprobs) to.sum_logprob = add_logprob(to.sum_logprob, logprob);
}

void BeamSearch::add_beam(const Continuation& next) {
  const size_t from = next.source * max_tokens_;
  const size_t to = next_.sums.size() * max_tokens_;
  std::copy_n(now_.tokens.data() + from, length_, next_.tokens.data() + to);
  std::copy_n(now_.logprobs.data() + from, length_, next_.logprobs.data() + to);
  next_.tokens[to + length_] = next.token;
  next_.logprobs[to + length_] = next.logprob;
  next_.sums.push_back(next.sum);
  sources_.push_back(next.source);
  last_tokens_.push_back(next.token);
}

std::vector<TokenCandidate> BeamSearch::finish() {
  finished_.resize(finished_count_);
  if (open_sums_) {
    if (!now_.sums.empty() && (finished_.empty() || now_.sums[0] > best_sum_)) {
      finished_.resize(1);
      copy_beam(0, finished_[0]);
    }
    return std::move(finished_);
  }
  if (finished_.size() < beam_size_) {
    std::vector<size_t> order(now_.sums.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    // numpy's argsort read backwards: of equals the last comes first.
    heap_sort(order, [this](size_t a, size_t b) {
      return now_.sums[a] != now_.sums[b] ? now_.sums[a] > now_.sums[b] : a > b;
    });
    for (size_t i = 0; i < order.size() && finished_.size() < beam_size_; ++i) {
      const float* logprobs = now_.logprobs.data() + order[i] * max_tokens_;
      auto tokens = this->tokens(order[i]);
      finished_.push_back(
          {{tokens.begin(), tokens.end()}, {logprobs, logprobs + length_}, now_.sums[order[i]]});
    }
  }
  return std::move(finished_);
}

}  // namespace susurrus
